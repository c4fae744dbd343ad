import Foundation
import InterlockTestsC
import Synchronization
import Testing

@testable import Interlock
@testable import SectionTable

/// The tracker itself under contention.
struct ContentionTests {
  init() { Findings.collect() }

  @Test("of two sections that overlap, one of them a writer, at least one is always seen")
  func nothingLost() {
    let rounds = 400
    let start = SpinBarrier(parties: 2)
    let inside = SpinBarrier(parties: 2)
    let sections = (0..<rounds).map { Section("contention.lost.\($0)") }
    let threads = (0..<2).map { number in
      JoinableThread {
        for section in sections {
          start.wait()
          // Both sections begin together, and neither ends before both have begun.
          let mode: Mode = number == 0 ? .noReadWrite : .noWrite
          section.begin(mode)
          inside.wait()
          section.end(mode)
        }
      }
    }
    for thread in threads { thread.join() }
    let found = Set(
      SectionTracking.conflicts.map(\.resource).filter { $0.hasPrefix("contention.lost.") })
    #expect(found.count == rounds)
  }

  @Test("every overlapping pair is one finding, and each of its overlaps counts once")
  func everyPair() {
    let rounds = 200
    let section = Section("contention.pairs")
    let start = SpinBarrier(parties: 3)
    let inside = SpinBarrier(parties: 3)
    let threads = (0..<3).map { number in
      JoinableThread {
        for _ in 0..<rounds {
          start.wait()
          section.begin(.noReadWrite, line: UInt(1_000 + number))
          inside.wait()
          section.end(.noReadWrite)
        }
      }
    }
    for thread in threads { thread.join() }
    let found = Findings.conflicts(on: "contention.pairs")
    #expect(
      Set(found.map { Set([$0.first.place.line, $0.second.place.line]) })
        == [[1_000, 1_001], [1_000, 1_002], [1_001, 1_002]])
    #expect(found.map(\.count) == [rounds, rounds, rounds])
    for conflict in found {
      #expect(isWhole(conflict.first, lines: 1_000...1_002))
      #expect(isWhole(conflict.second, lines: 1_000...1_002))
    }
    #expect(Findings.misuses(on: "contention.pairs").isEmpty)
  }

  private func isWhole(_ side: Conflict.Side, lines: ClosedRange<Int>) -> Bool {
    side.mode == .noReadWrite && side.place.file == "InterlockTests/ContentionTests.swift"
      && lines.contains(side.place.line) && !side.thread.isEmpty && side.stack.count > 1
  }

  @Test("sections under a real lock never conflict")
  func noFalseAlarm() {
    let section = Section("contention.locked")
    let lock = NSLock()
    let start = Barrier(parties: 4)
    let threads = (0..<4).map { number in
      JoinableThread {
        start.wait()
        for turn in 0..<20_000 {
          lock.lock()
          if (turn + number) % 3 == 0 { section.write {} } else { section.read {} }
          lock.unlock()
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "contention.locked").isEmpty)
    #expect(Findings.misuses(on: "contention.locked").isEmpty)
  }

  @Test("more readers than a bucket has slots are all recorded, and a writer conflicts with each")
  func overflow() {
    let readers = 100
    let section = Section("contention.overflow")
    let inside = Barrier(parties: readers + 1)
    let leave = Gate()
    let threads = (0..<readers).map { _ in
      JoinableThread {
        section.read {
          inside.wait(); leave.pass()
        }
      }
    }
    inside.wait()
    section.read {}
    #expect(Findings.conflicts(on: "contention.overflow").isEmpty)
    section.write {}
    leave.open()
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "contention.overflow").map(\.count) == [readers])
    section.write {}
    #expect(Findings.conflicts(on: "contention.overflow").map(\.count) == [readers], "all left")
  }

  @Test("conflicts of threads at full speed are reported whole, and no section stays open")
  func racing() {
    let section = Section("contention.racing")
    let inside = SpinBarrier(parties: 3)
    let begun = #line + 4
    let threads = (0..<3).map { _ in
      JoinableThread {
        for turn in 0..<3_000 {
          section.write {
            // The first turn overlaps all three sections; later turns run at full speed.
            if turn == 0 { inside.wait() }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    let found = Findings.conflicts(on: "contention.racing")
    #expect(found.reduce(0) { $0 + $1.count } >= 3, "each of three met two others")
    for conflict in found {
      // A section may end, and its record be reused, between the detection and the read.
      let isGone = conflict.first.place.function == "a section that has just ended"
      #expect(conflict.first.mode == .noReadWrite)
      #expect(isGone || isWhole(conflict.first, lines: begun...begun))
      #expect(isWhole(conflict.second, lines: begun...begun))
    }
    section.write {}
    #expect(Findings.conflicts(on: "contention.racing").map(\.count) == found.map(\.count))
  }

  @Test("a thread reads a whole computed name while its section ends")
  func computedNames() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      SectionTracking.onMisuse = .record
      // Long names, so that reuse of their memory by the allocator would show.
      let names = (0..<7).map { String(repeating: "\($0)", count: 200) }
      let stop = Counter()
      let threads = (0..<2).map { _ in
        JoinableThread {
          while stop.value == 0 {
            for name in names {
              BEGIN_LOCK(.noWrite, name)
              END_LOCK(.noWrite, name)
            }
          }
        }
      }
      var read = 0
      while read < 3_000 {
        // Prints the names of the sections that are open now.
        MisuseDetection.processEnds()
        let found = SectionTracking.misuses
        guard found.allSatisfy({ names.contains($0.resource) }) else {
          writeLine("not a name: \(found)")
          exit(1)
        }
        read += found.count
        SectionTracking.removeAll()
      }
      stop.add()
      for thread in threads { thread.join() }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  @Test("computed names are freed with their sections")
  func computedNamesAreFreed() async {
    await #expect(processExitsWith: .success) {
      let name = String(repeating: "long ", count: 20_000)
      func mark(times: Int) {
        for _ in 0..<times {
          BEGIN_LOCK(.noWrite, name)
          END_LOCK(.noWrite, name)
        }
      }
      mark(times: 100)
      let before = c_most_memory()
      // 500 MB in all, several times the memory of the process.
      mark(times: 5_000)
      precondition(c_most_memory() < before * 3 / 2, "\(before) became \(c_most_memory())")
    }
  }

  @Test("a thread takes over the context of a thread that has ended")
  func homes() async {
    // In a separate process, in which no other test uses contexts.
    await #expect(processExitsWith: .success) {
      let numbers = Guarded<Set<UInt>>([])
      for _ in 0..<50 {
        onThread {
          Section("contention.homes").write {}
          let home = UInt(bitPattern: ThreadContext.current)
          numbers.withLock { _ = $0.insert(home) }
        }
      }
      precondition(numbers.withLock { $0.count } == 1)
    }
  }
}
