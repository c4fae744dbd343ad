import CInterlockHarness
import Foundation
import Testing

@testable import StressRunner
import ProcessInspection

/// Memory shared with the runner to which a child has written.
struct SharedMemoryTests {
  private static let callers = 40

  private func makeTable() throws -> (table: ProgressTable, bytes: UnsafeMutableRawBufferPointer) {
    let trial = makeTrial("quick", makeScenario(callers: Self.callers))
    let (table, descriptor) = try #require(ProgressTable.make(for: trial, mark: nil))
    var status = stat()
    try #require(fstat(descriptor, &status) == 0)
    // The mapping of a child.
    let base = try #require(
      mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
    close(descriptor)
    return (table, UnsafeMutableRawBufferPointer(start: base, count: Int(status.st_size)))
  }

  /// Reads everything that the runner reads, and checks its range.
  private func expectSane(_ table: ProgressTable, _ what: Comment) {
    let scenario = makeScenario(callers: Self.callers)
    for operations in [0, 1, Self.callers, Int.max] {
      let completed = table.completed(of: operations)
      #expect((0...operations).contains(completed), what)
    }
    let callers = table.callers(in: scenario.workload)
    #expect((0...Self.callers).contains(callers.inside), what)
    #expect((0...Self.callers).contains(callers.waiting), what)
    #expect(table.ignoredThreads.allSatisfy { $0 > 0 && $0 <= Int32.max }, what)
    _ = table.stage
    for index in [0, 1, table.stackCapacity - 1, table.stackCapacity, .max] {
      guard
        let slot = interlock_stack_area_slot(table.stacks, table.stackCapacity, index)
      else { continue }
      #expect(index < table.stackCapacity, what)
      #expect(slot.pointee.count <= UInt32(INTERLOCK_STACK_FRAMES), what)
    }
    // The state before and after a round of signals, to which no thread replies here.
    let capture = StackCapture(
      process: getpid(), area: table.stacks, capacity: table.stackCapacity)
    #expect(capture.capture([], patience: 0).isEmpty, what)
  }

  @Test("Words of the shared memory are clamped on reading, whatever a child has written")
  func extremes() throws {
    let (table, bytes) = try makeTable()
    defer {
      munmap(bytes.baseAddress, bytes.count)
      table.unmap()
    }
    let words = bytes.bindMemory(to: UInt64.self)
    let extremes: [UInt64] = [
      0, 1, UInt64(Int64.max), UInt64(bitPattern: .min), .max, 0xFFFF_FFFF, 1 << 32,
    ]
    for word in extremes {
      words.update(repeating: word)
      expectSane(table, "\(word)")
    }
  }

  @Test("Random bytes in the shared memory are clamped on reading", arguments: 1...8)
  func random(seed: UInt64) throws {
    let (table, bytes) = try makeTable()
    defer {
      munmap(bytes.baseAddress, bytes.count)
      table.unmap()
    }
    let words = bytes.bindMemory(to: UInt64.self)
    var random = SplitMix64(seed: seed, at: 0)
    for round in 0..<40 {
      // Random words anywhere, in the whole header, in the totals and in the callers' counters.
      for _ in 0..<200 { words[Int(random.next() % UInt64(words.count))] = random.next() }
      for index in 0..<min(words.count, 2048) where random.next() % 2 == 0 {
        words[index] = random.next() >> (random.next() % 64)
      }
      expectSane(table, "seed \(seed), round \(round)")
    }
  }

  @Test(
    "A child cannot change the size of the shared memory",
    .enabled(if: PlatformName.current == .linux, "there are no seals elsewhere"))
  func seals() throws {
    let (table, descriptor) = try #require(ProgressTable.make(for: makeTrial("quick"), mark: nil))
    defer {
      close(descriptor)
      table.unmap()
    }
    for size in [0, 4096, 1 << 30] {
      #expect(ftruncate(descriptor, off_t(size)) == -1)
      #expect(errno == EPERM)
    }
    #expect(table.completed(of: 1) == 0)
  }
}
