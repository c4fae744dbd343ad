import Foundation
import Findings
import StressRunner

/// A package as its manifest and its sources describe it.
struct UserPackage {
  /// A target of the package.
  struct Target {
    enum Kind { case library, executable, test, other }

    var name: String
    var kind: Kind
    /// The target's folder, relative to the package.
    var folder: String
    /// The names of the targets of this package and the products that the target depends on.
    var dependencies: [String]
  }

  /// A package that the user's package depends on.
  struct Dependency {
    /// The name by which targets in the manifest refer to the package.
    var name: String
    /// The package's folder; `nil` if it is fetched.
    var folder: String?
  }

  /// A type worth stressing, because the compiler does not check it.
  struct Candidate {
    var name: String
    /// `Sources/Store/ImageStore.swift:4`
    var place: String
  }

  /// The most candidates that are listed.
  private static let mostCandidates = 5

  var name: String
  var targets: [Target]
  /// The packages that this package depends on.
  var dependencies: [Dependency]
  /// The package's folder.
  let folder: String

  /// Parses the output of `swift package dump-package`; `nil` if the format is unknown.
  init?(_ manifest: [UInt8], folder: String) {
    struct Manifest: Decodable {
      struct Target: Decodable {
        var name: String
        var type: String
        var path: String?
        var dependencies: [[String: [JSONName?]]]
      }
      struct Source: Decodable {
        var identity: String
        var nameForTargetDependencyResolutionOnly: String?
        var path: String?
      }
      var name: String
      var targets: [Target]
      var dependencies: [[String: [Source]]]
    }
    guard let read = try? JSONDecoder().decode(Manifest.self, from: Data(manifest)) else {
      return nil
    }
    self.folder = folder
    name = read.name
    dependencies = read.dependencies.flatMap(\.values).flatMap { $0 }.map {
      Dependency(
        name: $0.nameForTargetDependencyResolutionOnly ?? $0.identity, folder: $0.path)
    }
    let kinds: [String: Target.Kind] = [
      "regular": .library, "executable": .executable, "test": .test,
    ]
    targets = read.targets.map { target in
      let kind = kinds[target.type] ?? .other
      return Target(
        name: target.name, kind: kind,
        folder: target.path ?? (kind == .test ? "Tests/" : "Sources/") + target.name,
        dependencies: target.dependencies.flatMap(\.values).compactMap { $0.first??.text })
    }
  }

  /// Reads the manifest in a folder.
  ///
  /// - Throws: `ScenarioErrors` with SwiftPM's reason if it cannot be read.
  static func read(
    _ folder: String, _ world: World, ignoringLock ignoresLock: Bool
  ) throws -> UserPackage {
    let words = ["dump-package"] + (ignoresLock ? ["--ignore-lock"] : [])
    let manifest = try world.swiftPackage(words, folder)
    if manifest.code == 0, let package = UserPackage(manifest.output, folder: folder) {
      return package
    }
    let reason = manifest.errors.split(separator: "\n").first { $0.contains("error:") }
    throw ScenarioErrors(errors: [
      ScenarioError(
        path: "Package.swift",
        message: "cannot be read by 'swift package dump-package'"
          + (reason.map { ": " + printable(String($0)) } ?? ""))
    ])
  }

  /// The dependency on Interlock, found by its name or its folder.
  func interlockDependency(besides own: String?) -> Dependency? {
    dependencies.first { dependency in
      dependency.name.lowercased() == "interlock"
        || own.map(InitCommand.resolved) == dependency.folder.map(InitCommand.resolved)
          && own != nil
    }
  }

  /// The names of all targets and products that a target depends on, including those through other
  /// targets of this package.
  func closure(of target: Target) -> Set<String> {
    var found: Set<String> = []
    var left = target.dependencies
    while let name = left.popLast() {
      guard found.insert(name).inserted else { continue }
      left += targets.first { $0.name == name }?.dependencies ?? []
    }
    return found
  }

  /// The targets of a kind.
  func targets(_ kind: Target.Kind) -> [Target] { targets.filter { $0.kind == kind } }

  /// True if a target's Swift sources use XCTest and not Swift Testing.
  func usesXCTest(_ target: Target) -> Bool {
    let texts = sources(target).map(\.text)
    func imports(_ module: String) -> Bool {
      texts.contains { $0.contains("import \(module)\n") || $0.contains("import \(module)\r") }
    }
    return imports("XCTest") && !imports("Testing")
  }

  /// The unchecked Sendable classes and the actors of a target, in the order of files and lines.
  func candidates(in target: Target) -> [Candidate] {
    var found: [Candidate] = []
    for (path, text) in sources(target) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated()
      where !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") {
        let isClaimed = line.contains("@unchecked Sendable")
        guard
          let match = isClaimed
            ? line.firstMatch(of: /\b(?:class|struct|extension)\s+(\w+)/)
            : line.firstMatch(of: /^\s*(?:public |package |distributed |final )*actor\s+(\w+)/)
        else { continue }
        found.append(Candidate(name: String(match.output.1), place: "\(path):\(index + 1)"))
        if found.count == Self.mostCandidates { return found }
      }
    }
    return found
  }

  /// The first of these types that a test can create and call.
  func sketch(of candidates: [Candidate], in target: Target) -> (Candidate, TypeSketch)? {
    let texts = sources(target).map(\.text)
    for candidate in candidates {
      if let sketch = TypeSketch(candidate.name, in: texts) { return (candidate, sketch) }
    }
    return nil
  }

  /// The Swift sources of a target, with their paths relative to the package.
  private func sources(_ target: Target) -> [(path: String, text: String)] {
    let root = folder + "/" + target.folder
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
      (try? RegularFile.read(root + "/" + name)).map {
        ("\(target.folder)/\(name)", String(decoding: $0, as: UTF8.self))
      }
    }
  }
}

/// A member of a dependency in a manifest: a text, or any other value, which is ignored.
private struct JSONName: Decodable {
  var text: String?

  init(from decoder: any Decoder) throws {
    text = try? decoder.singleValueContainer().decode(String.self)
  }
}
