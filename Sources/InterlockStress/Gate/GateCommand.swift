import Foundation
import Findings
import StressRunner

/// The values of the options specific to `gate`.
package struct GateOptions: Sendable, Hashable {
  /// The package whose executable is built; `nil` for the current folder's.
  package var package: String?
  /// The executable that is built and run; `nil` for this one, which is not built.
  package var product: String?
  /// The results file that is checked in place of a run; `nil` for a run.
  package var checked: String?
  /// The words passed to the executable: every other option, in the given order.
  package var words: [String] = []
  /// The words after `--`.
  package var unread: [String] = []

  /// Creates the default options.
  package init() {}
}

/// `gate`: replays scenarios for a CI job, with this executable or with one that it builds first.
struct GateCommand {
  private let world: World
  private let options: Options
  private var gate: GateOptions { options.gate }

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// Runs the gate. With `--product` it returns only if the product could not be built.
  func perform(_ scenarios: [String], firstArgument: String?) throws -> ExitCode {
    if let file = gate.checked { return try check(file) }
    var options = options
    let json = options.reportFiles["json"] ?? "interlock-results.json"
    options.reportFiles["json"] = json
    try options.checkFiles(of: .gate)
    guard let product = gate.product else {
      if gate.package != nil {
        throw UsageError("'--package <folder>' needs '--product <name>'", .gate)
      }
      if let word = gate.unread.first {
        throw UsageError("'\(printable(word))' after '--' needs '--product <name>'", .gate)
      }
      removeOldResults(json)
      return try RunCommand(world: world, options: options, .run, isGate: true)
        .perform(scenarios, firstArgument: firstArgument)
    }
    let package = absolute(gate.package ?? ".")
    guard FileManager.default.fileExists(atPath: package + "/Package.swift") else {
      throw UsageError(
        "'\(printable(gate.package ?? "."))' is not a Swift package: it has no Package.swift",
        .gate)
    }
    // Check that the file can be written before anything is built.
    if json != "-" { _ = try FinishedFile(path: json, option: "json", of: .gate) }
    removeOldResults(json)
    let paths = scenarios.map { path($0, from: package) }
    let words =
      ["run", "--json", json == "-" ? json : absolute(json)] + gate.words + paths + gate.unread
    return try run(product, words, in: package)
  }

  /// Builds a product, and replaces this process by it.
  private func run(_ product: String, _ words: [String], in package: String) throws -> ExitCode {
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    build.arguments = ["swift", "build", "--product", product]
    build.currentDirectoryURL = URL(fileURLWithPath: package)
    build.standardOutput = FileHandle.standardError
    build.standardInput = FileHandle.nullDevice
    do {
      try build.run()
    } catch {
      throw RunnerFault(reason: "'swift' cannot be run: \(error.localizedDescription)")
    }
    build.waitUntilExit()
    let shown =
      build.terminationStatus == 0
      ? try Subprocess.run(["swift", "build", "--show-bin-path"], in: package) : nil
    guard let shown, shown.code == 0 else {
      world.errors.write("error: '\(printable(product))' could not be built\n")
      return .ourFault
    }
    let folder = String(decoding: shown.output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let path = "\(folder)/\(product)"
    // Enter the package: the executable's own scenarios are there.
    guard chdir(package) == 0 else {
      let reason = String(cString: strerror(errno))
      throw RunnerFault(reason: "'\(package)' cannot be entered: \(reason)")
    }
    var arguments = ([path] + words).map { strdup($0) }
    arguments.append(nil)
    execv(path, arguments)
    throw RunnerFault(reason: "'\(path)' cannot be run: \(String(cString: strerror(errno)))")
  }

  /// Removes the results of an earlier run: they could be mistaken for this run's results if it
  /// writes none. A device or a pipe is left alone; the target of a symbolic link is emptied.
  private func removeOldResults(_ json: String) {
    let path = absolute(json)
    var status = stat()
    guard json != "-", lstat(path, &status) == 0 else { return }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    if isLink || unlink(path) != 0 { truncate(path, 0) }
  }

  /// A scenario's path for the package's folder: unchanged, or absolute if the file is only in the
  /// current folder.
  private func path(_ scenario: String, from package: String) -> String {
    guard scenario.contains("/") || scenario.hasSuffix(".json"), !scenario.hasPrefix("/") else {
      return scenario
    }
    let files = FileManager.default
    return !files.fileExists(atPath: "\(package)/\(scenario)")
      && files.fileExists(atPath: absolute(scenario)) ? absolute(scenario) : scenario
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(world.currentFolder)/\(path)"
  }

  private func check(_ file: String) throws -> ExitCode {
    guard let bytes = FileManager.default.contents(atPath: absolute(file)) else {
      throw UsageError("'\(printable(file))' cannot be read, expected a results file", .gate)
    }
    let check = ResultsCheck([UInt8](bytes))
    for fault in check.faults { world.errors.write("error: \(escaped(file)): \(fault)\n") }
    if check.faults.isEmpty {
      let results = "\(check.count) result\(check.count == 1 ? "" : "s")"
      world.output.write("\(escaped(file)): \(results) as planned, none unmet\n")
    }
    return check.faults.isEmpty ? .met : .unmet
  }
}
