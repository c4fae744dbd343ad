import CMarks
import Foundation
import Testing

@testable import Interlock

/// The contention coverage that a process prints when it ends.
struct CoverageEndTests {
  @Test("with coverage=on the end has a short report, and the exit code is unchanged")
  func summary() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "coverage=on", 1)
      Section("end.lone").write(line: 12) {}
      let shared = Section("end.shared")
      shared.write {}
      onThread { shared.write {} }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text == """
        interlock: coverage: 2 resources, 1 not tested
          not tested: 'end.lone' was touched by one owner only, \
        at InterlockTests/CoverageEndTests.swift:12

        """)
  }

  @Test("with coverage=on a process without a section says so when it ends")
  func reportOfNothing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("INTERLOCK_OPTIONS", "coverage=on", 1)
      // Reads the options, as the constructor does before `main` if the variable is set in time.
      readOptions()
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "interlock: coverage: no resource: no section was begun\n")
  }

  @Test("a process that passes coverage on to its children reports no coverage of its own")
  func passedOn() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("INTERLOCK_OPTIONS", "coverage=on", 1)
      readOptions()
      precondition(!SectionTracking.takeContentionRequirement())
      writeError("the end\n")
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "the end\n")
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
      // Reads the options, as the constructor does before `main` if the variable is set in time.
      readOptions()
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text == """
        interlock: coverage: no resource: no section was begun
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
    // This process runs tests of Swift Testing.
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
    "with coverage=off the report says that nothing was recorded, not that no section was begun"
  )
  func off() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_OPTIONS", "coverage=off", 1)
      Section("end.off").write {}
      let off = SectionTracking.coverageReport
      precondition(!off.isMeasured)
      precondition("\(off)" == "interlock: coverage is off: nothing was recorded")
      SectionTracking.coverage = true
      let nothing = SectionTracking.coverageReport
      precondition(nothing.isMeasured)
      precondition("\(nothing)" == "interlock: coverage: no resource: no section was begun")
      SectionTracking.coverage = false
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
    #expect(text == "interlock: coverage: 1 resource, each by several owners\n")
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
