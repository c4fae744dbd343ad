import Findings
import Foundation
import StressRunner

/// `hunt`: explores the tests of a package that match a filter, until an order fails in one of
/// them.
///
/// `swift test` runs the tests as usual. Options in the environment enable their exploration, and
/// the test processes write the result of each test.
struct HuntCommand {
  private let world: World
  private let options: Options
  private var hunt: HuntOptions { options.hunt }

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// Performs the command. Returns `met` if orders were tried and none failed.
  func perform(_ filters: [String]) throws -> ExitCode {
    guard filters.count == 1, let filter = filters.first else {
      throw mistake(
        "'hunt' needs one filter, as 'swift test --filter' has it, found \(filters.count)")
    }
    guard let pattern = try? Regex(filter) else {
      throw mistake("The filter '\(printable(filter))' is not a regular expression")
    }
    let folder = absolute(hunt.package ?? ".")
    guard FileManager.default.fileExists(atPath: folder + "/Package.swift") else {
      throw mistake(
        "'\(escaped(folder))' has no Package.swift: call 'hunt' in a package, or name its folder"
          + " by '--package-path'")
    }
    try checkLinks(UserPackage.read(folder, world, ignoringLock: options.ignoresLock))
    let build = swift("build", ["--build-tests"], hunt.wordsOfBuild)
    switch try world.shownCommand(build, [:], folder) {
    case .exited(0): break
    case .interrupted: return .interrupted
    default:
      world.errors.write("error: the tests could not be built, see above\n")
      return .ourFault
    }
    let results = NSTemporaryDirectory() + "interlock-hunt-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: results, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: results) }
    let words = swift("test", ["--skip-build", "--filter", filter], hunt.words)
    let ending = try world.shownCommand(words, variables(results, folder), folder)
    guard let tests = ExploredTests(folder: results) else {
      if ending == .interrupted { return .interrupted }
      world.errors.write(
        "error: the tests ended without exploring (\(ending.text)): 'interlock doctor' shows what"
          + " this build can see\n")
      return .unmet
    }
    let report = HuntReport(tests: tests, folder: folder)
    if let text = report.failure {
      world.output.write(text)
      return .unmet
    }
    if ending == .interrupted { return .interrupted }
    if tests.cases.isEmpty { throw try nothing(filter, pattern, folder, ending) }
    world.output.write(report.noFailure)
    if ending != .exited(0) {
      world.errors.write("error: a test that was not explored failed, see above\n")
      return .unmet
    }
    return tests.cases.contains { $0.result != .once } ? .met : .unmet
  }

  private func mistake(_ message: String) -> UsageError { UsageError(message, .hunt) }

  private func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: world.currentFolder + "/"))
      .standardizedFileURL.path
  }

  // MARK: SwiftPM

  private func swift(_ command: String, _ words: [String], _ more: [String]) -> [String] {
    ["swift", command] + (options.ignoresLock ? ["--ignore-lock"] : []) + words + more
  }

  /// The environment in which tests are explored. Options that the user has set stay.
  private func variables(_ results: String, _ folder: String) -> [String: String] {
    var words = ["explore=tests", "explore_stop=on"]
    switch options.budget {
    case .seconds(let seconds): words.append("explore_budget=\(max(0.1, seconds))")
    // Set no practical time limit: the number of orders is the limit.
    case .orders(let count): words += ["explore_budget=86400", "explore_orders=\(count)"]
    case nil: words.append("explore_budget=60")
    }
    if let seed = options.seed { words.append("explore_seed=\(seed)") }
    let given = [world.environment["INTERLOCK_OPTIONS"]].compactMap(\.self)
    let kept = world.environment["INTERLOCK_EXPLORE_CORPUS"].flatMap { $0.isEmpty ? nil : $0 }
    return [
      "INTERLOCK_OPTIONS": (given + words).joined(separator: " "),
      "INTERLOCK_EXPLORE_RESULTS": results,
      "INTERLOCK_EXPLORE_CORPUS": options.corpus.map(absolute) ?? kept
        ?? folder + "/.build/interlock-orders",
    ]
  }

  // MARK: Mistakes

  /// Checks that a test target links InterlockTesting, before anything is built. One is enough: all
  /// test targets of a package are one bundle.
  private func checkLinks(_ package: UserPackage) throws(UsageError) {
    let tests = package.targets(.test)
    guard let first = tests.first else {
      throw mistake("The package '\(printable(package.name))' has no test target")
    }
    let product = "InterlockTesting"
    if tests.contains(where: { package.closure(of: $0).contains(product) }) { return }
    let known = package.interlockDependency(besides: world.ownPackage)
    let name = known?.name ?? "Interlock"
    let source =
      known == nil ? ", and Interlock to those of the package; 'interlock init' shows both" : ""
    throw mistake(
      "No test target links \(product): add .product(name: \"\(product)\", package: \"\(name)\")"
        + " to the dependencies of \(printable(first.name)) in Package.swift\(source)")
  }

  /// Why no test was explored.
  private func nothing(
    _ filter: String, _ pattern: Regex<AnyRegexOutput>, _ folder: String,
    _ ending: ShownCommand.Ending
  ) throws -> UsageError {
    let listing = swift("test", ["list", "--skip-build"], hunt.wordsOfBuild)
    let list = try world.runCommand(listing, folder)
    // The output has a line for each test, such as `BankTests.Bank/sums()`, and messages of
    // SwiftPM.
    let tests = String(decoding: list.output, as: UTF8.self).split(separator: "\n")
      .map(String.init).filter { $0.contains(/^\w+\.\S/) }
    if tests.contains(where: { $0.contains(pattern) }) {
      return .nothingSelected(
        "The tests that match '\(printable(filter))' are disabled, or the process ended before them"
          + " (\(ending.text))", .hunt)
    }
    if tests.isEmpty { return .nothingSelected("The package has no test", .hunt) }
    let names = tests.compactMap { $0.split(separator: "/").last?.split(separator: "(").first }
      .map(String.init)
    // Compare with beginnings of names: a filter is usually one.
    let heads = names.map { String($0.prefix(filter.count)) }
    let near = nearest(to: filter, among: heads).flatMap(heads.firstIndex).map { names[$0] }
    return UsageError.nothingSelected(
      "No test matches '\(printable(filter))'",
      Suggestion(for: near ?? filter, among: names, shownBy: "swift test list"), .hunt)
  }
}

extension ShownCommand.Ending {
  fileprivate var text: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signal(let number): "signal \(number)"
    case .interrupted: "interrupted"
    }
  }
}
