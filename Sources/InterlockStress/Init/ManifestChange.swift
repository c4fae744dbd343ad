/// The additions of `init` to a manifest, as lines for a person and as commands of SwiftPM.
struct ManifestChange {
  /// The name by which targets refer to Interlock's package.
  ///
  /// It is not the folder's name, which may differ on another machine.
  private let name: String
  /// Interlock's folder, relative to the package; `nil` if the manifest already depends on it.
  private let folder: String?
  /// The new targets and the targets with new dependencies, in order.
  private var targets: [Target] = []

  private struct Target {
    var name: String
    /// `test` or `executable` for a new target; `nil` for an existing one.
    var newKind: String?
    var targets: [String] = []
    var products: [String] = []
  }

  /// Creates a change that only adds the dependency on Interlock.
  init(interlock folder: String, knownAs name: String?) {
    self.name = name ?? "Interlock"
    self.folder = name == nil ? folder : nil
  }

  /// Adds a target.
  mutating func add(_ name: String, kind: String, on dependency: String) {
    targets.append(Target(name: name, newKind: kind, targets: [dependency]))
  }

  /// Makes a target depend on another target.
  mutating func depend(_ target: String, on other: String) {
    targets[index(of: target)].targets.append(other)
  }

  /// Makes a target depend on a product of Interlock.
  mutating func depend(_ target: String, onProduct product: String) {
    targets[index(of: target)].products.append(product)
  }

  private mutating func index(of name: String) -> Int {
    if let index = targets.firstIndex(where: { $0.name == name }) { return index }
    targets.append(Target(name: name))
    return targets.count - 1
  }

  /// The line for the package's dependencies; `nil` if it is not needed.
  private var packageLine: String? {
    folder.map { ".package(name: \"\(name)\", path: \(Self.quoted($0)))" }
  }

  /// The lines to add by hand, with their places.
  var lines: [String] {
    var lines: [String] = []
    if let packageLine { lines += ["to the package's dependencies:", "  " + packageLine + ","] }
    for target in targets {
      let dependencies =
        target.targets.map { Self.quoted($0) }
        + target.products.map { ".product(name: \"\($0)\", package: \(Self.quoted(name)))" }
      if let kind = target.newKind {
        let call = kind == "test" ? "testTarget" : "executableTarget"
        lines += ["to the targets:", "  .\(call)(", "    name: \(Self.quoted(target.name)),"]
        lines += ["    dependencies: ["] + dependencies.map { "      \($0)," } + ["    ]),"]
      } else {
        lines += ["to the dependencies of \(target.name):"] + dependencies.map { "  \($0)," }
      }
    }
    return lines
  }

  /// The arguments of `swift package`, one element for each command.
  var commands: [[String]] {
    var commands: [[String]] = []
    if let folder { commands.append(["add-dependency", folder, "--type", "path"]) }
    for target in targets {
      var dependencies = target.targets[...]
      if let kind = target.newKind {
        let first = dependencies.popFirst().map { ["--dependencies", $0] } ?? []
        commands.append(["add-target", target.name, "--type", kind] + first)
      }
      for name in dependencies { commands.append(["add-target-dependency", name, target.name]) }
      for product in target.products {
        commands.append(["add-target-dependency", product, target.name, "--package", name])
      }
    }
    return commands
  }

  /// Completes the manifest after a command: SwiftPM's commands have no option for the package's
  /// name, and put no space between list elements.
  func finished(_ manifest: String) -> String {
    var manifest = manifest
    if let folder, let packageLine {
      manifest = manifest.replacing(".package(path: \(Self.quoted(folder)))", with: packageLine)
    }
    let own = "package: \(Self.quoted(name))"
    return manifest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).map {
      line in
      guard line.contains("dependencies: ["), line.contains(own) else { return line }
      return line.replacing(",.product(", with: ", .product(").replacing("[ ", with: "[")
        .replacing(",]", with: "]")
    }.joined(separator: "\n")
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}
