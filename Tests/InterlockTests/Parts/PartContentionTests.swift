import Foundation
import Synchronization
import Testing

@testable import Interlock
@testable import SectionTable

/// Sections on parts under contention: conflicts that must be found, and conflicts that must not.
struct PartContentionTests {
  init() { Findings.collect() }

  /// Two sections that two threads begin together.
  enum Pairing: String, CaseIterable, Sendable {
    case equalParts, partAndWhole

    func begin(_ number: Int, _ section: Section) {
      if self == .partAndWhole, number == 0 {
        section.begin(.noReadWrite, line: 1)
      } else {
        section.begin(.noReadWrite, part: "key", line: 1)
      }
    }

    func end(_ number: Int, _ section: Section) {
      if self == .partAndWhole, number == 0 {
        section.end(.noReadWrite)
      } else {
        section.end(.noReadWrite, part: "key")
      }
    }
  }

  @Test(
    "at least one of two sections that overlap on a part, or part and whole, is always seen",
    arguments: Pairing.allCases)
  func nothingLost(_ pairing: Pairing) {
    let rounds = 400
    let start = SpinBarrier(parties: 2)
    let inside = SpinBarrier(parties: 2)
    let name = "parts.lost.\(pairing.rawValue)."
    let sections = (0..<rounds).map { Section("\(name)\($0)") }
    let threads = (0..<2).map { number in
      JoinableThread {
        for section in sections {
          start.wait()
          pairing.begin(number, section)
          // Neither section ends before both have begun.
          inside.wait()
          pairing.end(number, section)
        }
      }
    }
    for thread in threads { thread.join() }
    let found = Set(SectionTracking.conflicts.map(\.resource).filter { $0.hasPrefix(name) })
    #expect(found.count == rounds)
  }

  @Test("writers that have a lock for each key never conflict at full speed")
  func lockedKeys() {
    let section = Section("parts.locked")
    let locks = (0..<4).map { _ in NSLock() }
    let start = Barrier(parties: 4)
    let threads = (0..<4).map { number in
      JoinableThread {
        start.wait()
        for turn in 0..<10_000 {
          let key = (turn + number) % 4
          locks[key].withLock { section.write(key) {} }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "parts.locked").isEmpty)
    #expect(Findings.misuses(on: "parts.locked").isEmpty)
  }

  @Test(
    "a section on a part that ends during a read keeps record and part until the read is over"
  )
  func look() throws {
    let section = Section("parts.look")
    let hasEnded = Counter()
    // Unsafe: the table's memory is never freed, and the thread is joined.
    nonisolated(unsafe) let open = try #require(
      Registry.begin(
        section.resource, writes: true, part: PartOf("key"), synched: false,
        at: Site("Module/File.swift", "f()", 12)))
    let bucket = Bucket(of: open.key)
    var thread: JoinableThread?
    bucket.look {
      thread = JoinableThread {
        _ = Registry.end(open)
        hasEnded.add()
      }
      while open.slot.pointee.load(ordering: .relaxed) == open.word.bits { sched_yield() }
      for _ in 0..<1_000 { sched_yield() }
      #expect(open.record.isInUse)
      #expect(hasEnded.value == 0)
      #expect(Evidence(withPartOf: open.record).part?.text == "key")
    }
    thread?.join()
    #expect(!open.record.isInUse)
    #expect(hasEnded.value == 1)
  }

  @Test("more parts than a bucket has slots are all recorded, and a writer of the whole sees each")
  func overflow() {
    let writers = 60
    let section = Section("parts.overflow")
    let inside = Barrier(parties: writers + 1)
    let leave = Gate()
    let threads = (0..<writers).map { number in
      JoinableThread {
        section.write(number) {
          inside.wait()
          leave.pass()
        }
      }
    }
    inside.wait()
    #expect(Findings.conflicts(on: "parts.overflow").isEmpty)
    section.write(writers - 1, line: 1) {}
    #expect(Findings.conflicts(on: "parts.overflow").map(\.count) == [1])
    section.write(line: 2) {}
    leave.open()
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "parts.overflow").map(\.count) == [1, writers])
  }

  @Test("equal parts, and a part and the whole, have near misses; different parts do not")
  func nearMisses() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let section = Section("parts.near")
      for key in 0..<4 { onThread { section.write(key, line: 1) {} } }
      precondition(SectionTracking.delayCounts.armed == 0, "\(SectionTracking.delayCounts)")
      onThread { section.write(3, line: 2) {} }
      precondition(SectionTracking.delayCounts.armed == 1, "\(SectionTracking.delayCounts)")
      let other = Section("parts.near.whole")
      onThread { other.read("a", line: 3) {} }
      onThread { other.write(line: 4) {} }
      precondition(SectionTracking.delayCounts.armed == 2, "\(SectionTracking.delayCounts)")
    }
  }

  @Test("delays make two short racing sections on one key overlap")
  func delays() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.delays = true
      let section = Section("parts.delayed")
      let threads = (0..<2).map { _ in
        JoinableThread {
          while SectionTracking.conflicts.isEmpty {
            usleep(.random(in: 0...1_000))
            section.write("key") {}
          }
        }
      }
      for thread in threads { thread.join() }
      precondition(SectionTracking.conflicts[0].part == "key")
    }
  }
}
