import Foundation
import TestSupport
import Testing

@testable import Interlock
@testable import SectionTable

/// The planted race of the self test.
struct SelfTestTests {
  @Test("the planted race is found again and again, from several threads at once")
  func found() {
    let failures = Counter()
    let threads = (0..<4).map { _ in
      JoinableThread {
        for _ in 0..<50 {
          do { try SectionTracking.selfTest() } catch { failures.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.value == 0)
    #expect(SectionTracking.conflicts.allSatisfy { !$0.resource.contains("interlock's own") })
  }

  @Test("the planted race leaves nothing behind: no output, no trap, no exit code, no count")
  func nothingLeft() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "delays=on coverage=on", 1)
      try SectionTracking.selfTest()
      precondition(SectionTracking.conflicts.isEmpty && SectionTracking.misuses.isEmpty)
      precondition(SectionTracking.delayCounts == SectionTracking.DelayCounts())
      precondition(SectionTracking.coverageReport == CoverageReport())
      SectionTracking.coverage = false
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  @Test("a planted race that the tracker does not find fails the self test")
  func missed() {
    #expect(throws: SectionTracking.SelfTestFailure.missed) {
      try SelfTest.plant(secondKey: ResourceKey(number: .max))
    }
  }

  @Test("a planted race that is abandoned before it has begun returns", .hangLimit)
  func abandoned() {
    let race = SelfTest.PlantedRace(secondKey: .unlisted)
    race.abandon()
    race.first()
  }

  @Test("the self test reports tracking that is switched off")
  func off() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_OPTIONS", "sections=off", 1)
      do {
        try SectionTracking.selfTest()
        preconditionFailure("it passed")
      } catch {
        precondition(error as? SectionTracking.SelfTestFailure == .switchedOff)
      }
    }
  }

  @Test("each failure of the self test is one line")
  func words() {
    let lines = SectionTracking.SelfTestFailure.allCases.map(\.description)
    #expect(Set(lines).count == lines.count)
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }
}
