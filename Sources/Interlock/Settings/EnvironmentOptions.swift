internal import CMarks
internal import SectionTable

/// The options of `INTERLOCK_OPTIONS` that one product declares, with the values from the variable.
package protocol EnvironmentOptions: OptionValues {
  /// The declared options.
  static var options: [Option<Self>] { get }
  /// Why no code in this process uses the options; `nil` if some code does.
  static var unheededBecause: String? { get }
  /// Resolves options that contradict one another; returns one line for each.
  mutating func resolveContradictions() -> [String]
}

extension EnvironmentOptions {
  /// `nil`: by default, the product uses its options.
  package static var unheededBecause: String? { nil }
  /// Returns no lines: by default, no options contradict one another.
  package mutating func resolveContradictions() -> [String] { [] }

  fileprivate static var names: [String] { options.map(\.name) }

  /// Reads one option; returns what is wrong with its value, or `nil`.
  fileprivate mutating func read(_ name: String, _ value: String) -> String? {
    guard let option = Self.options.first(where: { $0.name == name }),
      !option.read(value, &self)
    else { return nil }
    return "'\(name)' must be \(option.expected), found \(value.isEmpty ? "nothing" : "'\(value)'")"
  }
}

/// The values in `INTERLOCK_OPTIONS`: `name=value`, separated by blanks.
///
/// The options of a process are those that its linked products declare: `Interlock` declares its
/// own, and every other product declares its options with `interlock_declare_options` before
/// `main`.
package struct OptionVariable: Sendable {
  /// The options of products that a process may lack, for a message that names the product.
  package static let ofOtherProducts: [(options: any EnvironmentOptions.Type, reason: String)] = [
    (WatchdogOptions.self, withoutWatchdog),
    (MemoryOptions.self, "the check of memory is not linked (product InterlockMemory)"),
    (
      BaselineOptions.self,
      "neither tests nor memory are watched (products InterlockTesting, InterlockMemory)"
    ),
    (TestOptions.self, "no tests can be explored (product InterlockTesting)"),
  ]
  /// The watchdog's option whose values only the watchdog knows. A test compares this name with it.
  package static let reportOption = "report"
  private static let withoutWatchdog = "the watchdog is not linked (product InterlockWatchdog)"

  /// The values of this process, read once. Errors go to standard error.
  package static let ofThisProcess = {
    var declared: [any EnvironmentOptions.Type] = [SectionOptions.self, CommonOptions.self]
    withUnsafeMutablePointer(to: &declared) { interlock_collect_options($0) }
    let variable = OptionVariable(
      Platform.environment("INTERLOCK_OPTIONS") ?? "", declared: declared)
    writeError(variable.errors.map { $0 + "\n" }.joined())
    return variable
  }()

  /// The errors in the variable, one line each.
  package let errors: [String]
  /// The values of each declaring product.
  package let values: [any EnvironmentOptions]

  /// Reads the variable's value. An option that cannot be read keeps its default.
  package init(_ text: String, declared: [any EnvironmentOptions.Type]) {
    var values = declared.map { $0.init() }
    var errors: [String] = []
    var unheeded: [(reason: String, names: [String])] = []
    func leave(_ name: String, because reason: String) {
      if let index = unheeded.firstIndex(where: { $0.reason == reason }) {
        unheeded[index].names.append(name)
      } else {
        unheeded.append((reason, [name]))
      }
    }
    func leaveToOthers(_ name: String, _ value: String?) {
      guard let other = Self.ofOtherProducts.first(where: { $0.options.names.contains(name) })
      else { return leave(name, because: Self.withoutWatchdog) }
      var unused = other.options.init()
      if let error = value.flatMap({ unused.read(name, $0) }) { errors.append(error) }
      leave(name, because: other.reason)
    }
    let names = declared.flatMap { $0.names }
    let ofOthers = (Self.ofOtherProducts.flatMap { $0.options.names } + [Self.reportOption])
      .filter { !names.contains($0) }
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }) {
      let joined = Self.joinedNames(in: word, known: names + ofOthers)
      if joined.count > 1 {
        errors.append("options are separated by blanks, found '\(word)'")
        for name in joined where ofOthers.contains(name) { leaveToOthers(name, nil) }
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if ofOthers.contains(name) {
        leaveToOthers(name, parts.count == 2 ? String(parts[1]) : nil)
        continue
      }
      guard let index = declared.firstIndex(where: { $0.names.contains(name) }) else {
        errors.append(
          "unknown option '\(name)'; the options are \(names.joined(separator: ", "))")
        continue
      }
      guard parts.count == 2 else {
        errors.append("option '\(name)' needs a value, as in '\(name)=…'")
        continue
      }
      if let error = values[index].read(name, String(parts[1])) { errors.append(error) }
      if let reason = declared[index].unheededBecause { leave(name, because: reason) }
    }
    for index in values.indices { errors += values[index].resolveContradictions() }
    if !unheeded.isEmpty {
      errors.append(
        unheeded.map { reason, names in
          let list = names.map { "'\($0)'" }.joined(separator: ", ")
          return "\(list) \(names.count == 1 ? "does" : "do") nothing here: \(reason)"
        }.joined(separator: "; "))
    }
    self.values = values
    self.errors = errors.map { "interlock: INTERLOCK_OPTIONS: \($0)" }
  }

  /// The options in a word that are separated by other characters than blanks, as in
  /// `predict=on:hang_limit=5`.
  private static func joinedNames(in word: Substring, known: [String]) -> [String] {
    word.split { ":,;".contains($0) }.compactMap { piece in
      guard let sign = piece.firstIndex(of: "=") else { return nil }
      let name = String(piece[..<sign])
      return known.contains(name) ? name : nil
    }
  }

  /// The values of these options; the defaults if they are not declared.
  package subscript<Values: EnvironmentOptions>(_: Values.Type) -> Values {
    values.lazy.compactMap { $0 as? Values }.first ?? Values()
  }
}

/// Called before `main` by `Sources/CMarks/runtime.c`. Reads `INTERLOCK_OPTIONS`, once.
@_cdecl("interlock_read_options")
func readOptions() { _ = Settings.shared }

/// Adds a product's options; another product may have added them already. See
/// `interlock_declare_options`.
///
/// - Parameters:
///   - options: The options that the product uses.
///   - list: The argument that the product's function received.
package func declare(_ options: any EnvironmentOptions.Type, in list: UnsafeMutableRawPointer) {
  let list = list.assumingMemoryBound(to: [any EnvironmentOptions.Type].self)
  if !list.pointee.contains(where: { $0 == options }) { list.pointee.append(options) }
}
