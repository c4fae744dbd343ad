import Foundation
import Testing

@testable import Interlock
@testable import SectionTable

/// Overlaps that delays find, and reports that they must not make. Each test runs in a separate
/// process, because delays are process-wide.
///
/// No test depends on how soon an overlap comes: the threads continue until then.
struct DelayRunTests {
  @Test("delays make two short racing sections overlap")
  func racy() async {
    await #expect(processExitsWith: .success) { findsConflict(.racy) }
  }

  @Test("a lock that is taken beside the section does not hide the race")
  func masked() async {
    await #expect(processExitsWith: .success) { findsConflict(.masked) }
  }

  @Test("delays make a read and a write with separate critical sections overlap")
  func checkThenAct() async {
    await #expect(processExitsWith: .success) { findsConflict(.checkThenAct) }
  }

  @Test("sections under a lock never conflict; their pair is dropped, and no delay is spent on it")
  func locked() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let section = Section("delays.locked")
      // On a busy machine the waiting thread may come too late after each delay, and each delay
      // that shows nothing halves the chance of the next.
      while SectionTracking.delayCounts.dropped == 0 {
        let made = SectionTracking.delayCounts.delays
        PausedWrites.locked.run(on: section, pauses: false) {
          let counts = SectionTracking.delayCounts
          return counts.dropped == 1 || counts.delays > made + 10
        }
        if SectionTracking.delayCounts.dropped == 0 {
          precondition(SectionTracking.restartDelays(seed: 4711))
        }
      }
      let spent = SectionTracking.delayCounts
      let calls = Counter()
      PausedWrites.locked.run(on: section, pauses: false) {
        calls.add()
        return calls.value > 50_000
      }
      precondition(SectionTracking.delayCounts == spent, "\(SectionTracking.delayCounts)")
      precondition(spent.armed == 0 && spent.found == 0)
      precondition(SectionTracking.conflicts.isEmpty)
      SectionTracking.delays = false
    }
  }

  @Test("a thread that only pauses during another thread's delay does not count as blocked")
  func pausing() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let section = Section("delays.pausing")
      // They alternate by a flag and short sleeps, without a lock or a wake-up.
      let turn = Guarded(0)
      let threads = (0..<2).map { number in
        JoinableThread {
          for _ in 0..<30 {
            while turn.withLock({ $0 }) != number { usleep(100) }
            section.write {}
            turn.withLock { $0 = 1 - number }
          }
        }
      }
      for thread in threads { thread.join() }
      let counts = SectionTracking.delayCounts
      precondition(counts.delays > 0 && counts.dropped == 0 && counts.armed == 1, "\(counts)")
    }
  }

  @Test("delays end at the budget, however many places there are")
  func budget() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let started = Platform.microseconds
      let sections = (0..<500).map { Section("delays.budget.\($0)") }
      // The threads pass 500 places one after the other: near misses that never overlap, since each
      // thread ends before the next begins. Without a budget nine of ten would be delayed. Again at
      // other places if the second thread came too late for a near miss.
      var firstLine: UInt = 0
      repeat {
        let lines = firstLine...
        for _ in 0..<2 {
          onThread { for (line, section) in zip(lines, sections) { section.write(line: line) {} } }
        }
        firstLine += 500
      } while SectionTracking.delayCounts.delays == 0
      let counts = SectionTracking.delayCounts
      let allowed = DelayBudget.allowance(after: Platform.microseconds - started, percent: 5)
      precondition(counts.dropped == 0 && counts.found == 0, "\(counts)")
      // A delay begins only if the budget covers it all, but may last longer on a busy processor.
      precondition(counts.delays <= Int(allowed) / 2_000, "\(counts)")
      precondition(SectionTracking.conflicts.isEmpty)
    }
  }

  @Test("a thread that joins another stops the delays of other threads only for a moment")
  func joining() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.delays = true
      let section = Section("delays.joining")
      // Each round uses a new place, where delays are as likely as at the first; at most as many
      // places as are followed.
      var line: UInt = 0
      func round(with others: Int) {
        renewDelayBudget()
        line += 1
        for _ in 0..<others { onThread { [line] in section.write(line: line) {} } }
      }
      // Ends when a delay finds this thread waiting for the end of the delayed thread.
      while !ThreadContext.current.isSuspected, line < 1_000 {
        section.write(line: line + 1) {}
        round(with: 4)
      }
      precondition(ThreadContext.current.isSuspected)
      // From here on, this thread begins no section.
      let delays = SectionTracking.delayCounts.delays
      while SectionTracking.delayCounts.delays == delays, line < 2_000 { round(with: 20) }
      precondition(SectionTracking.delayCounts.delays > delays, "\(line)")
    }
  }

  @Test("a report says that the first section was held open, for how long, and the seed")
  func report() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log delays=on delay_seed=4711", 1)
      // A new place each time, because a pair that overlapped without a delay is not delayed again.
      var line: UInt = 1
      while SectionTracking.conflicts.allSatisfy({ $0.heldOpen == nil }) {
        renewDelayBudget()
        meetInDelay(line: line)
        line += 1
        // New places are not delayed from the 2,047th on. A restart delays the old ones again.
        guard line > 1_000 else { continue }
        line = 1
        precondition(SectionTracking.restartDelays(seed: 4711))
      }
      let delay = SectionTracking.conflicts.compactMap(\.heldOpen).first
      precondition(delay?.seed == 4711)
      precondition(SectionTracking.delaySeed == 4711)
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        /The first had been held open for \d+(\.\d ms| µs) by a near-miss delay, seed 4711\.\n/))
  }

  @Test("without delays no section is held open, even in a race")
  func off() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      let calls = Counter()
      PausedWrites.racy.run(on: Section("delays.off"), pauses: false) {
        calls.add()
        return calls.value > 10_000
      }
      precondition(SectionTracking.delayCounts == SectionTracking.DelayCounts())
    }
  }

  @Test("delays hold sections of tasks open too, and find a task that enters")
  func tasks() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.delays = true
      let section = Section("delays.tasks")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            while SectionTracking.conflicts.isEmpty {
              section.write {}
              try? await Task.sleep(for: .microseconds(.random(in: 0...1_000)))
            }
          }
        }
      }
      precondition(SectionTracking.conflicts[0].first.task != nil)
    }
  }
}

/// Makes a thread enter a section while a delay holds it open, unless the thread is too late.
private func meetInDelay(line: UInt) {
  let section = Section("delays.report")
  for _ in 0..<2 { onThread { section.write(line: line) {} } }
  let hasEnded = Counter()
  let thread = JoinableThread {
    for _ in 0..<20 { section.write(line: line) {} }
    hasEnded.add()
  }
  while NearMissDelays.made?.held == nil, hasEnded.value == 0 { sched_yield() }
  if hasEnded.value == 0 { section.write(line: line) {} }
  thread.join()
}

/// Makes two threads write until they have overlapped.
private func findsConflict(_ writes: PausedWrites) {
  SectionTracking.onConflict = .handler { _ in }
  SectionTracking.delays = true
  writes.run(on: Section("delays.found")) {
    renewDelayBudget()
    return !SectionTracking.conflicts.isEmpty
  }
  let conflict = SectionTracking.conflicts[0]
  precondition(conflict.first.place.line != 0 && conflict.second.place == conflict.first.place)
  precondition(SectionTracking.delayCounts.found == 1)
}
