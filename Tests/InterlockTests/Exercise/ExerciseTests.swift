import CInterlock
import Foundation
import InterlockTestsC
import Testing

@testable import Interlock

/// The contention coverage of a run. Each test runs in a separate process, because it is
/// process-wide.
struct ExerciseTests {
  @Test("a resource of one owner is not tested; one of two owners is, with its places and pairs")
  func owners() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.exercise = true
      let lone = Section("exercise.lone")
      let shared = Section("exercise.shared")
      lone.write(line: 1) {}
      lone.read(line: 2) {}
      shared.write(line: 3) {}
      shared.read(line: 4) {}
      onThread { shared.write(line: 3) {} }
      SectionTracking.exercise = false
      Section("exercise.later").write {}
      let report = SectionTracking.exerciseReport
      precondition(report.resources.map(\.name) == ["exercise.lone", "exercise.shared"])
      precondition(report.notTested.map(\.name) == ["exercise.lone"])
      let (one, two) = (report.resources[0], report.resources[1])
      precondition(one.owners == 1 && two.owners == 2, "\(report)")
      precondition(two.contention == .shared)
      precondition(two.places.map(\.place.line) == [3, 4])
      precondition(two.places.map(\.byOneOwner) == [false, true])
      // The second thread's write came after the first's read and write.
      precondition(two.met == 0 && two.nearlyMet == 2 && two.neverMet == 0, "\(report)")
      precondition(one.nearlyMet == 0 && one.neverMet == 2, "two reads are no pair")
      precondition(!report.isFull)
    }
  }

  @Test("a conflict is a pair that met")
  func met() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.exercise = true
      let section = Section("exercise.met")
      section.begin(.noWrite, line: 1)
      onThread { section.write(line: 2) {} }
      section.end(.noWrite)
      let resource = SectionTracking.exerciseReport.resources[0]
      precondition(resource.met == 1 && resource.neverMet == 1, "\(resource)")
      precondition(resource.pairs.first?.outcome == .met)
      SectionTracking.exercise = false
    }
  }

  @Test("two instances with one owner each were not tested")
  func instances() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.exercise = true
      for _ in 0..<20 { onThread { Section("exercise.instances").write {} } }
      let resource = SectionTracking.exerciseReport.resources[0]
      precondition(resource.contention == .oneOwner, "\(resource)")
      precondition(resource.owners == ExerciseReport.mostOwners)
      precondition(resource.nearlyMet == 0)
      SectionTracking.exercise = false
    }
  }

  @Test("different parts never nearly meet, and equal ones do")
  func parts() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.exercise = true
      let section = Section("exercise.parts")
      for key in 0..<4 { onThread { section.write(key, line: 1) {} } }
      precondition(SectionTracking.exerciseReport.resources[0].nearlyMet == 0)
      precondition(SectionTracking.exerciseReport.resources[0].contention == .shared)
      onThread { section.write(3, line: 1) {} }
      precondition(SectionTracking.exerciseReport.resources[0].nearlyMet == 1)
      SectionTracking.exercise = false
    }
  }

  @Test("properties and C code are covered as well, by name or by the line of the declaration")
  func otherSpellings() async {
    final class Box: @unchecked Sendable {
      @Tracked var value = 0
    }
    await #expect(processExitsWith: .success) {
      SectionTracking.exercise = true
      let box = Box()
      box.value = 1
      onThread { _ = box.value }
      c_begin_write("exercise.c")
      c_end_write("exercise.c")
      let report = SectionTracking.exerciseReport
      precondition(report.resources.count == 2, "\(report)")
      precondition(report.resources[0].name.hasPrefix("property at InterlockTests/"))
      precondition(report.resources[0].contention == .shared)
      precondition(report.notTested.map(\.name) == ["exercise.c"])
      SectionTracking.exercise = false
    }
  }

  @Test("names beyond the table's size are reported missing, and nothing else fails")
  func names() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.exercise = true
      for number in 0..<3_000 {
        BEGIN_LOCK(.noWrite, "exercise.name.\(number)")
        END_LOCK(.noWrite, "exercise.name.\(number)")
      }
      let report = SectionTracking.exerciseReport
      precondition(report.isFull)
      precondition(report.resources.count == CoverageTables.mostResources)
      precondition(report.summary.contains("There were more names, places or pairs"))
      SectionTracking.exercise = false
    }
  }

  @Test("instances beyond the table's size leave a name undecided, not untested")
  func manyInstances() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.exercise = true
      for _ in 0..<100_000 { Section("exercise.many").write {} }
      let report = SectionTracking.exerciseReport
      precondition(report.resources[0].contention == .unknown, "\(report)")
      precondition(report.notTested.isEmpty)
      precondition(report.summary.contains("undecided: 'exercise.many' has too many instances"))
      let shared = Section("exercise.many")
      shared.write {}
      onThread { shared.write {} }
      precondition(SectionTracking.exerciseReport.resources[0].contention == .shared)
      SectionTracking.exercise = false
    }
  }

  @Test("accesses of threads at full speed are all recorded")
  func racing() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.exercise = true
      let section = Section("exercise.racing")
      let start = SpinBarrier(parties: 3)
      let threads = (0..<3).map { number in
        JoinableThread {
          start.wait()
          for _ in 0..<5_000 { section.read(line: UInt(number + 1)) {} }
        }
      }
      for thread in threads { thread.join() }
      let resource = SectionTracking.exerciseReport.resources[0]
      precondition(resource.owners == 3 && resource.contention == .shared, "\(resource)")
      precondition(resource.places.count == 3)
      precondition(resource.places.allSatisfy(\.byOneOwner))
      SectionTracking.exercise = false
    }
  }
}

/// The contention coverage that a process prints at its end.
struct ExerciseEndTests {
  @Test("with exercise=on the end has a short report, and the exit code is unchanged")
  func summary() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "exercise=on", 1)
      Section("end.lone").write(line: 12) {}
      let shared = Section("end.shared")
      shared.write {}
      onThread { shared.write {} }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text == """
        interlock: exercised 2 resources, 1 not tested
          not tested: 'end.lone' was touched by one owner only, \
        at InterlockTests/ExerciseTests.swift:12

        """)
  }

  @Test("with require_contention=on a resource of one owner makes the exit code 1")
  func red() async {
    await #expect(processExitsWith: .exitCode(1)) {
      setenv("INTERLOCK_OPTIONS", "require_contention=on", 1)
      Section("end.lone").write {}
      exit(EXIT_SUCCESS)
    }
  }

  @Test("with require_contention=on a process that begins no section is red, and says so")
  func nothingBegun() async {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "require_contention=on", 1)
      // The constructor, which runs before `main` if the variable is set from the start.
      readOptions()
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text == """
        interlock: exercised no resource: no section was begun
        interlock: the exit code is 1 (require_contention=on): no section was begun, so \
        nothing was tested

        """)
  }

  @Test("a process of 'swift test' that has no tests needs no section")
  func noTests() {
    let bundle = "/app/.build/debug/AppTests.xctest"
    #expect(TestPass.hasNoTests([bundle], hasXCTests: false))
    #expect(!TestPass.hasNoTests([bundle], hasXCTests: true))
    #expect(TestPass.hasNoTests([bundle, ""], hasXCTests: true))
    #expect(TestPass.hasNoTests([bundle, "''"], hasXCTests: true))
    #expect(!TestPass.hasNoTests([bundle, "App.Tests/testA"], hasXCTests: true))
    let swiftTesting = [bundle, "--testing-library", "swift-testing"]
    #expect(!TestPass.hasNoTests(swiftTesting, hasXCTests: false))
    #expect(TestPass.hasNoTests([bundle, "--dump-tests-json"], hasXCTests: true))
    #expect(!TestPass.hasNoTests(["/app/.build/debug/app"], hasXCTests: false))
    // These tests are Swift Testing's.
    #expect(!interlock_has_xctests())
  }

  @Test("with require_contention=on a process that fails anyway keeps its exit code")
  func failing() async {
    await #expect(processExitsWith: .exitCode(69)) {
      setenv("INTERLOCK_OPTIONS", "require_contention=on", 1)
      Section("end.lone").write {}
      exit(69)
    }
  }

  @Test(
    "with exercise=off the report says that nothing was recorded, not that no section was begun"
  )
  func off() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_OPTIONS", "exercise=off", 1)
      Section("end.off").write {}
      let off = SectionTracking.exerciseReport
      precondition(!off.isMeasured)
      precondition("\(off)" == "interlock: exercise is off: coverage was not recorded")
      SectionTracking.exercise = true
      let nothing = SectionTracking.exerciseReport
      precondition(nothing.isMeasured)
      precondition("\(nothing)" == "interlock: exercised no resource: no section was begun")
      SectionTracking.exercise = false
    }
  }

  @Test("with require_contention=on resources of several owners leave the exit code unchanged")
  func green() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "require_contention=on", 1)
      let shared = Section("end.shared")
      shared.read {}
      onThread { shared.write {} }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "interlock: exercised 1 resource, each by several owners\n")
  }

  @Test("a conflict's exit code comes before that of a resource of one owner")
  func conflictFirst() async {
    await #expect(processExitsWith: .exitCode(66)) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=record require_contention=on", 1)
      Section("end.lone").write {}
      overlap("end.conflict", times: 1)
      exit(EXIT_SUCCESS)
    }
  }
}
