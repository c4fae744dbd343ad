import Foundation
import Findings
import StressRunner

/// The files that `init` writes into a package, and the additions to its manifest.
struct InitPlan {
  /// A new file.
  struct File {
    /// The path, relative to the package.
    var path: String
    var text: String
  }

  /// The files, in the order in which they are shown.
  private(set) var files: [File] = []
  /// The additions to the manifest.
  private(set) var manifest: ManifestChange
  /// Notes about what the user should know or do, one sentence each.
  private(set) var notes: [String] = []
  /// The stress executable, existing or new; `nil` if there is none.
  private(set) var executable: String?

  private let package: UserPackage

  /// Creates the plan for a package.
  ///
  /// - Parameters:
  ///   - package: The package.
  ///   - interlock: Interlock's folder, relative to the package.
  ///   - options: The options.
  /// - Throws: An error if the package lacks something that the options need.
  init(
    _ package: UserPackage, interlock: String, _ options: InitOptions
  ) throws(UsageError) {
    self.package = package
    let known = package.interlockDependency(besides: package.folder + "/" + interlock)
    manifest = ManifestChange(interlock: interlock, knownAs: known?.name)
    guard let subject = package.targets(.library).first ?? package.targets(.executable).first else {
      throw UsageError(
        "The package '\(printable(package.name))' has no target with code to test", .initialize)
    }
    executable =
      package.targets(.executable).first { $0.dependencies.contains("InterlockStress") }?.name
    try addTest(of: subject, options)
    if options.makesExecutable || executable != nil { try addExecutable() }
  }

  // MARK: The test

  private mutating func addTest(
    of first: UserPackage.Target, _ options: InitOptions
  ) throws(UsageError) {
    let tests = package.targets(.test)
    if let name = options.target, !tests.contains(where: { $0.name == name }) {
      throw UsageError(
        "There is no test target '\(printable(name))'",
        Suggestion(for: name, among: tests.map(\.name)), .initialize)
    }
    let test: UserPackage.Target
    let subject: UserPackage.Target
    if let found = options.target.flatMap({ name in tests.first { $0.name == name } })
      ?? tests.first
    {
      test = found
      subject =
        package.targets.first { found.dependencies.contains($0.name) && $0.kind != .test } ?? first
      if !found.dependencies.contains(subject.name) {
        manifest.depend(found.name, on: subject.name)
      }
    } else {
      let name = unused(first.name + "Tests")
      test = .init(
        name: name, kind: .test, folder: "Tests/" + name,
        dependencies: [first.name, "InterlockTesting"])
      subject = first
      manifest.add(name, kind: "test", on: first.name)
      manifest.depend(name, onProduct: "InterlockTesting")
    }
    if !test.dependencies.contains("InterlockTesting") {
      manifest.depend(test.name, onProduct: "InterlockTesting")
    }
    // In a new target, use the name of the example file that SwiftPM would write: it keeps an
    // existing file.
    let isNew = !tests.contains { $0.name == test.name }
    let usesXCTest = package.usesXCTest(test)
    let candidates = package.candidates(in: subject)
    let sketch = package.sketch(of: candidates, in: subject)
    files.append(
      File(
        path: "\(test.folder)/\(isNew ? test.name : "ConcurrencyTests").swift",
        text: InitTemplates.test(
          module: subject.module, candidates: candidates, sketch: sketch, usesXCTest: usesXCTest)))
    let list = candidates.filter { $0.place != sketch?.0.place }
      .map { "\($0.name) (\($0.place))" }.joined(separator: ", ")
    if let stressed = sketch?.0 {
      notes.append(
        "The test stresses \(stressed.name) (\(stressed.place)). Read its calls before you run it."
          + (list.isEmpty ? "" : " Worth a test too: \(list)."))
    } else if candidates.isEmpty {
      notes.append("The test stresses an example: put a type of \(subject.name) in its place.")
    } else {
      notes.append(
        "The test stresses an example: no initialiser of these takes simple values. Worth putting"
          + " in its place: \(list).")
    }
    let others = tests.filter { $0.name != test.name }.map(\.name)
    if !others.isEmpty {
      notes.append(
        "Other test targets, which '--target' chooses: \(others.joined(separator: ", ")).")
    }
  }

  // MARK: The executable

  private mutating func addExecutable() throws(UsageError) {
    guard let library = package.targets(.library).first(where: { $0.folder.hasPrefix("Sources") })
    else {
      throw UsageError(
        "A stress executable needs a library target: code of an executable cannot be imported by"
          + " another", .initialize)
    }
    if let executable {
      notes.append("\(executable) links InterlockStress already: no other executable is written.")
    } else {
      let name = unused(library.name + "Stress")
      manifest.add(name, kind: "executable", on: library.name)
      manifest.depend(name, onProduct: "Interlock")
      manifest.depend(name, onProduct: "InterlockStress")
      files.append(
        File(
          path: "Sources/\(name)/\(name).swift",
          text: InitTemplates.executable(name, module: library.module)))
      notes.append(
        "The thousand reads on your cache and on four others: swift run \(name). Why a cache"
          + " deadlocks: swift run \(name) deadlocks.")
      executable = name
    }
    for (name, text) in [
      ("concurrent-reads", InitTemplates.thousandReads), ("mixed", InitTemplates.mixed),
    ] {
      files.append(File(path: "StressScenarios/\(name).json", text: text))
    }
  }

  /// A name that no target uses.
  private func unused(_ name: String) -> String {
    let names = Set(package.targets.map(\.name))
    return ([name] + (2...).lazy.prefix(100).map { "\(name)\($0)" }).first { !names.contains($0) }
      ?? name
  }
}

extension UserPackage.Target {
  /// The name by which other targets import this target.
  var module: String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }
}
