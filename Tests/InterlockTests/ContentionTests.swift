import Foundation
import Synchronization
import Testing

@testable import Interlock

/// The tracker itself under contention.
struct ContentionTests {
  init() { Findings.collect() }

  @Test("of two sections that overlap, one of them a writer, at least one is always seen")
  func nothingLost() {
    let rounds = 400
    let start = Barrier(parties: 2)
    let inside = Barrier(parties: 2)
    let sections = (0..<rounds).map { Section("contention.lost.\($0)") }
    let threads = (0..<2).map { number in
      JoinableThread {
        for section in sections {
          start.wait()
          // Both begin at the same moment; neither ends before both are in.
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

  @Test("a meeting that both sides saw is counted once")
  func countedOnce() {
    let rounds = 200
    let section = Section("contention.count")
    let start = Barrier(parties: 2)
    let inside = Barrier(parties: 2)
    let threads = (0..<2).map { _ in
      JoinableThread {
        for _ in 0..<rounds {
          start.wait()
          section.begin(.noReadWrite)
          inside.wait()
          section.end(.noReadWrite)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Findings.conflicts(on: "contention.count").map(\.count) == [rounds])
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

  @Test("more readers than a bucket has slots are all in, and a writer meets every one")
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

  @Test("racing threads that begin and end at full speed are reported whole, and nothing breaks")
  func racing() {
    let section = Section("contention.racing")
    let start = Barrier(parties: 3)
    let threads = (0..<3).map { _ in
      JoinableThread {
        start.wait()
        for _ in 0..<3_000 { section.write {} }
      }
    }
    for thread in threads { thread.join() }
    for conflict in Findings.conflicts(on: "contention.racing") {
      #expect(conflict.first.mode == .noReadWrite)
      #expect(conflict.second.place.file == "InterlockTests/ContentionTests.swift")
    }
    let before = Findings.conflicts(on: "contention.racing").map(\.count)
    section.write {}
    #expect(Findings.conflicts(on: "contention.racing").map(\.count) == before)
  }

  @Test("computed names are freed while others look")
  func computedNames() {
    let start = Barrier(parties: 3)
    let threads = (0..<3).map { number in
      JoinableThread {
        start.wait()
        for turn in 0..<2_000 {
          BEGIN_LOCK(.noWrite, "contention.computed.\(turn % 7)")
          END_LOCK(.noWrite, "contention.computed.\(turn % 7)")
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(SectionTracking.misuses.allSatisfy { !$0.resource.hasPrefix("contention.computed") })
  }

  @Test("homes are taken over by later threads")
  func homes() {
    // Warm up, so that a home is idle; then threads one after the other need no new one.
    onThread { Section("contention.homes").write {} }
    let numbers = Guarded<Set<UInt>>([])
    for _ in 0..<50 {
      onThread {
        Section("contention.homes").write {}
        let home = UInt(bitPattern: ThreadHome.current)
        numbers.withLock { _ = $0.insert(home) }
      }
    }
    // Other tests run beside this one and take homes too.
    #expect(numbers.withLock { $0.count } < 50)
  }
}
