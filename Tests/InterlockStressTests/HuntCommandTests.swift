import Findings
import Foundation
import StressRunner
import TestSupport
import Testing

@testable import InterlockStress

/// A user's package in which `hunt` is called, with a SwiftPM that runs no test.
private final class HuntedPackage {
  /// A command of SwiftPM whose output passes through.
  struct Call: Equatable {
    var words: [String]
    var variables: [String: String]
  }

  let package: UserPackageFolder
  var environment: [String: String] = [:]
  private(set) var calls: [Call] = []
  /// The endings of the build and of the tests.
  var endings: [ShownCommand.Ending] = [.exited(0), .exited(0)]
  /// The results that each process of the tests writes.
  var results: [ExploredTests] = []
  /// The output of `swift test list`.
  var list = ""

  init(links: Bool = true, interlock: String? = "Interlock") throws {
    let product =
      links ? #", .product(name: "InterlockTesting", package: "\#(interlock ?? "")")"# : ""
    let source = interlock.map { #".package(name: "\#($0)", path: "../\#($0)")"# } ?? ""
    package = try UserPackageFolder([
      "Package.swift": """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Bank", dependencies: [\(source)],
        targets: [
          .target(name: "Bank"), .testTarget(name: "BankTests", dependencies: ["Bank"\(product)]),
        ])
      """
    ])
  }

  func hunt(_ arguments: String...) -> ExitCode {
    var world = package.test.world
    world.currentFolder = package.folder
    world.environment = environment
    world.ownPackage = package.test.folder + "/Interlock"
    world.shownCommand = { [self] words, variables, folder in
      #expect(folder == package.folder)
      calls.append(Call(words: words, variables: variables))
      if let results = variables["INTERLOCK_EXPLORE_RESULTS"] {
        for (index, part) in self.results.enumerated() {
          try JSONEncoder().encode(part)
            .write(to: URL(fileURLWithPath: "\(results)/\(index).json"))
        }
      }
      return endings[calls.count - 1]
    }
    world.runCommand = { [self] words, _ in
      #expect(words == ["swift", "test", "list", "--skip-build"])
      return Subprocess.Result(code: 0, output: Array(list.utf8), errors: "")
    }
    return world.perform(["hunt"] + arguments)
  }

  var output: String { package.test.output.text }
  var errors: String { package.test.errors.text }
}

@Suite("'hunt'", .offThePool)
struct HuntCommandTests {
  private static let passed = ExploredTests.Case(
    test: "BankTests.Bank/opens()", place: "Bank.swift:3", result: .everyOrder, orders: 2)
  private static let once = ExploredTests.Case(
    test: "BankTests.Bank/calls()", place: "Bank.swift:9", result: .once,
    reason: "not controlled: a call on a socket")

  private static func failed(_ result: ExploredTests.Result) -> ExploredTests.Case {
    .init(
      test: "BankTests.Bank/\(result.rawValue)()", place: "Bank.swift:12", result: result,
      orders: 7,
      failure: .init(
        report: "the balance is -60\n  1  task 1  begin", token: "i1-0a",
        line: #"@Test(.explored(replay: "i1-0a"))"#))
  }

  @Test("'hunt' builds the tests, explores those of the filter and shows the first failing order")
  func failing() throws {
    let test = try HuntedPackage()
    var failed = Self.failed(.failed)
    failed.failure?.corpus = test.package.folder + "/.build/interlock-orders/a.orders"
    test.results = [
      ExploredTests(cases: [Self.failed(.failedLate)]),
      ExploredTests(cases: [failed, .init(test: "A.b()", place: "A.swift:1", result: .notRun)]),
    ]
    test.endings = [.exited(0), .exited(1)]
    #expect(test.hunt("Bank/") == .unmet, "\(test.errors)")
    #expect(
      test.output == """

        hunt: an order fails BankTests.Bank/failed()  Bank.swift:12
          the balance is -60
            1  task 1  begin
        token: i1-0a
        regression test: the trait explores it, with 'import InterlockTesting' above
          @Test(.explored)
        this order alone, while the code is as it is:
          @Test(.explored(replay: "i1-0a"))
        kept in: .build/interlock-orders/a.orders
        hunt: 3 test cases: 1 failed, 1 failed only where a time is late, 1 not run after a failure

        """)
    try #require(test.calls.count == 2)
    #expect(test.calls[0].words == ["swift", "build", "--build-tests"])
    #expect(test.calls[1].words == ["swift", "test", "--skip-build", "--filter", "Bank/"])
    let variables = test.calls[1].variables
    #expect(
      variables["INTERLOCK_OPTIONS"] == "explore=tests explore_stop=on explore_budget=60")
    #expect(
      variables["INTERLOCK_EXPLORE_CORPUS"] == test.package.folder + "/.build/interlock-orders")
    let results = try #require(variables["INTERLOCK_EXPLORE_RESULTS"])
    #expect(!FileManager.default.fileExists(atPath: results))
  }

  @Test("'hunt' passes on its options, those of the environment and the words after '--'")
  func options() throws {
    let test = try HuntedPackage()
    test.environment = [
      "INTERLOCK_OPTIONS": "hang_limit=9", "INTERLOCK_EXPLORE_CORPUS": "/kept",
    ]
    test.results = [ExploredTests(cases: [Self.passed])]
    let code = test.hunt(
      "a", "--budget", "500", "--seed=7", "--ignore-lock", "--package-path",
      test.package.folder + "/.", "--", "-c", "release", "--skip", "b", "--parallel",
      "--attachments-path=found")
    #expect(code == .met, "\(test.errors)")
    try #require(test.calls.count == 2)
    #expect(
      test.calls[0].words
        == ["swift", "build", "--ignore-lock", "--build-tests", "-c", "release"])
    #expect(
      test.calls[1].words == [
        "swift", "test", "--ignore-lock", "--skip-build", "--filter", "a", "-c", "release",
        "--skip", "b", "--parallel", "--attachments-path=found",
      ])
    #expect(
      test.calls[1].variables["INTERLOCK_OPTIONS"]
        == "hang_limit=9 explore=tests explore_stop=on explore_budget=86400 explore_orders=500"
        + " explore_seed=7")
    #expect(test.calls[1].variables["INTERLOCK_EXPLORE_CORPUS"] == "/kept")
    let other = try HuntedPackage()
    other.results = [ExploredTests(cases: [Self.passed])]
    #expect(other.hunt("a", "--budget", "0.05s", "--corpus", "kept") == .met)
    #expect(
      other.calls.last?.variables["INTERLOCK_EXPLORE_CORPUS"] == other.package.folder + "/kept")
    #expect(
      other.calls.last?.variables["INTERLOCK_OPTIONS"]?.hasSuffix("explore_budget=0.1") == true)
  }

  @Test("'hunt' shows an order that fails only if a time is late, if no other order fails")
  func late() throws {
    let test = try HuntedPackage()
    test.results = [ExploredTests(cases: [Self.passed, Self.failed(.failedLate)])]
    #expect(test.hunt("Bank") == .unmet)
    let line =
      "\nhunt: an order fails BankTests.Bank/failedLate(), only where a sleep or a limit of time"
      + " ends late  Bank.swift:12\n"
    #expect(test.output.hasPrefix(line), "\(test.output)")
  }

  @Test("The replay line that 'hunt' shows for a test of XCTest belongs to its class")
  func xctest() throws {
    let test = try HuntedPackage()
    var failed = Self.failed(.failed)
    failed.failure?.line = #"override var replay: String? { "i1-0a" }"#
    test.results = [ExploredTests(cases: [failed])]
    #expect(test.hunt("Bank") == .unmet)
    let lines =
      "  final class Bank: ExploredTestCase {\nthis order alone, while the code is as it is:"
    #expect(test.output.contains(lines + "\n  override var replay"), "\(test.output)")
  }

  @Test("'hunt' is green only if an order was tried, and each test passed")
  func passing() throws {
    let test = try HuntedPackage()
    test.results = [ExploredTests(cases: [Self.passed, Self.once])]
    #expect(test.hunt("Bank") == .met)
    #expect(
      test.output == """

        hunt: no order that was tried fails: 2 test cases: 1 in every order, 1 once, as usual \
        (not controlled: a call on a socket)
          not explored: BankTests.Bank/calls() (not controlled: a call on a socket)  Bank.swift:9

        """)
    let usual = try HuntedPackage()
    usual.results = test.results
    usual.endings = [.exited(0), .exited(1)]
    #expect(usual.hunt("Bank") == .unmet)
    #expect(usual.errors == "error: a test that was not explored failed, see above\n")
    let none = try HuntedPackage()
    none.results = [ExploredTests(cases: [Self.once])]
    #expect(none.hunt("Bank") == .unmet)
    #expect(none.output.hasPrefix("\nhunt: no test could be explored: "))
  }

  @Test("If the tests cannot be built, or end without exploring, 'hunt' says so in a line")
  func broken() throws {
    let unbuilt = try HuntedPackage()
    unbuilt.endings = [.exited(1)]
    #expect(unbuilt.hunt("Bank") == .ourFault)
    #expect(unbuilt.errors == "error: the tests could not be built, see above\n")
    #expect(unbuilt.calls.count == 1)
    let blind = try HuntedPackage()
    blind.endings = [.exited(0), .signal(11)]
    #expect(blind.hunt("Bank") == .unmet)
    #expect(
      blind.errors
        == "error: the tests ended without exploring (signal 11): 'interlock doctor' shows what"
        + " this build can see\n")
  }

  @Test("An interrupt ends 'hunt' with its code, and earlier findings are shown")
  func interrupted() throws {
    let building = try HuntedPackage()
    building.endings = [.interrupted]
    #expect(building.hunt("Bank") == .interrupted)
    let exploring = try HuntedPackage()
    exploring.endings = [.exited(0), .interrupted]
    exploring.results = [ExploredTests(cases: [Self.passed])]
    #expect(exploring.hunt("Bank") == .interrupted)
    let found = try HuntedPackage()
    found.endings = exploring.endings
    found.results = [ExploredTests(cases: [Self.failed(.failed)])]
    #expect(found.hunt("Bank") == .unmet)
  }

  @Test("A filter of 'hunt' without a test is a line with the nearest test")
  func unmatched() throws {
    let test = try HuntedPackage()
    test.results = [ExploredTests()]
    test.list = "Building\n[1/1] Compiling\nBankTests.Bank/opens()\nBankTests.OldTests/testSum\n"
    #expect(test.hunt("open") == .nothingSelected)
    #expect(test.errors.hasPrefix("error: The tests that match 'open' are disabled, or "))
    let other = try HuntedPackage()
    other.results = [ExploredTests()]
    other.list = test.list
    other.list = "BankTests.Bank/oneOpens()\n" + test.list
    #expect(other.hunt("opne") == .nothingSelected)
    #expect(
      other.errors
        == "error: No test matches 'opne': did you mean 'opens'? See 'interlock help hunt'\n")
    let empty = try HuntedPackage()
    empty.results = [ExploredTests()]
    #expect(empty.hunt("Bank") == .nothingSelected)
    #expect(empty.errors.hasPrefix("error: The package has no test; see "))
  }

  @Test("For tests that do not link Interlock, 'hunt' names what to add, and builds nothing")
  func unlinked() throws {
    let test = try HuntedPackage(links: false, interlock: "Locks")
    try FileManager.default.createDirectory(
      atPath: test.package.test.folder + "/Locks", withIntermediateDirectories: true)
    #expect(test.hunt("Bank") == .usage)
    let message =
      "error: No test target links InterlockTesting: add .product(name: \"InterlockTesting\","
      + " package: \"Interlock\") to the dependencies of BankTests in Package.swift"
    #expect(test.errors.hasPrefix(message + ", and Interlock to those of the package"))
    #expect(test.calls.isEmpty)
    let known = try HuntedPackage(links: false)
    #expect(known.hunt("Bank") == .usage)
    #expect(known.errors.hasPrefix(message + "; see "))
  }

  @Test("A mistake in the command line of 'hunt' or in the manifest is one line")
  func mistakes() throws {
    let test = try HuntedPackage()
    #expect(test.hunt() == .usage)
    #expect(test.errors.hasPrefix("error: 'hunt' needs one filter, "))
    let pattern = try HuntedPackage()
    #expect(pattern.hunt("(") == .usage)
    #expect(pattern.errors.hasPrefix("error: The filter '(' is not a regular expression"))
    let elsewhere = try HuntedPackage()
    #expect(elsewhere.hunt("Bank", "--package-path", "Sources") == .usage)
    #expect(
      elsewhere.errors.hasPrefix(
        "error: '\(elsewhere.package.folder)/Sources' has no Package.swift: call 'hunt' in a"))
    let broken = try HuntedPackage()
    try broken.package.write("no manifest", "Package.swift")
    #expect(broken.hunt("Bank") == .badScenario)
    #expect(broken.errors.hasPrefix("error: Package.swift: cannot be read by "))
    #expect(broken.errors.split(separator: "\n").count == 1)
  }
}

@Suite("A command whose output passes through", .offThePool)
struct ShownCommandTests {
  @Test("A shown command ends with its exit code or signal, in its folder and environment")
  func endings() async throws {
    await #expect(processExitsWith: .exitCode(3)) {
      let ending = try ShownCommand.run(["sh", "-c", "exit $GIVEN"], ["GIVEN": "5"], "/")
      exit(ending == .exited(5) ? 3 : 1)
    }
    await #expect(processExitsWith: .exitCode(3)) {
      let ending = try ShownCommand.run(["sh", "-c", "kill -KILL $$"], [:], "/")
      exit(ending == .signal(SIGKILL) ? 3 : 1)
    }
  }

  @Test("A shown command's output ends with the command, not with processes that it leaves behind")
  func leftBehind() async throws {
    await #expect(processExitsWith: .exitCode(3)) {
      let file = NSTemporaryDirectory() + "interlock-left-\(getpid())"
      let script = "sleep 1000 >/dev/null 2>&1 & echo $! > \(file); exit 4"
      let ending = try ShownCommand.run(["sh", "-c", script], [:], "/")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      try FileManager.default.removeItem(atPath: file)
      // The left process exists, and is ended here.
      guard let left = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
        kill(left, SIGKILL) == 0
      else { exit(2) }
      exit(ending == .exited(4) ? 3 : 1)
    }
  }

  @Test("An interrupt of this process is passed on to the command")
  func interrupt() async {
    await #expect(processExitsWith: .exitCode(3)) {
      // The command interrupts this process, and then waits to be interrupted.
      let script = "kill -INT $PPID; exec sleep 1000"
      let ending = try ShownCommand.run(["sh", "-c", script], [:], "/")
      exit(ending == .interrupted ? 3 : 1)
    }
  }
}
