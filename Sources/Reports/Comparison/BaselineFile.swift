package import Comparison
import Findings
package import StressRunner

/// The parts of an earlier comparison's JSON that a later comparison needs.
package struct BaselineFile: Sendable {
  /// The rounds of each strategy, by the workload's name.
  package var cells: [String: [String: [RoundFigures]]]

  private let path: String
  /// The requested calls a second; `nil` if each caller called as fast as it could.
  private let rate: Double?
  private let rateLine: Int?
  /// `release` or `debug`.
  private let build: String
  private let buildLine: Int?

  /// Reads a document that `ComparisonJSON` has written.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - path: The file's name, for messages.
  /// - Throws: The first fault, with its line.
  package init(_ bytes: [UInt8], path: String) throws(ScenarioError) {
    self.path = path
    var cells: [String: [String: [RoundFigures]]] = [:]
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONReader.read(bytes)
    } catch {
      throw ScenarioError(path: path, line: error.line, message: error.message)
    }
    let reader = Reader(path: path)
    let schema = document.member("schema")
    guard case .string(ComparisonJSON.schema)? = schema?.content else {
      throw ScenarioError(
        path: path, line: schema?.line,
        message: "'schema' must be \"\(ComparisonJSON.schema)\", found \(schema?.found ?? "none")")
    }
    let version = try reader.whole("schemaVersion", of: document)
    guard version == ComparisonJSON.version else {
      throw ScenarioError(
        path: path, line: document.member("schemaVersion")?.line,
        message: "'schemaVersion' must be \(ComparisonJSON.version), found \(version)")
    }
    rate = try reader.number("rate", of: document)
    rateLine = document.member("rate")?.line
    let host = try reader.member("host", of: document)
    build = try reader.string("build", of: host)
    buildLine = host.member("build")?.line
    for cell in try reader.list("cells", of: document) {
      let name = try reader.string("name", of: cell)
      for entry in try reader.list("rounds", of: cell) {
        let strategy = try reader.string("strategy", of: entry)
        var rounds: [RoundFigures] = []
        for figures in try reader.list("figures", of: entry) {
          rounds.append(
            RoundFigures(
              operations: try reader.whole("calls", of: figures),
              seconds: Double(try reader.whole("nanoseconds", of: figures)) / 1e9))
        }
        cells[name, default: [:]][strategy] = rounds
      }
    }
    self.cells = cells
  }

  /// Checks that the file's figures can be compared with those of a load, a build and workloads.
  ///
  /// - Parameters:
  ///   - rate: The requested calls a second; `nil` if each caller calls as fast as it can.
  ///   - build: `release` or `debug`; `nil` to accept either.
  ///   - names: The names of the workloads.
  /// - Throws: The first difference, or the first workload that the file lacks.
  package func check(
    rate: Double?, build: String?, cells names: [String]
  ) throws(ScenarioError) {
    // The file has numbers rounded to a thousandth.
    let isOfRate = self.rate.map { abs($0 - (rate ?? -1)) < 0.001 } ?? (rate == nil)
    guard isOfRate else {
      throw ScenarioError(
        path: path, line: rateLine,
        message: "the baseline was measured \(Self.load(self.rate)), and this comparison is"
          + " \(Self.load(rate))")
    }
    if let build, build != self.build {
      throw ScenarioError(
        path: path, line: buildLine,
        message: "the baseline is of a \(printable(self.build)) build, and this is a \(build)"
          + " build: give '--allow-debug' to compare them")
    }
    for name in names where cells[name] == nil {
      throw ScenarioError(path: path, message: "the baseline lacks the workload '\(name)'")
    }
  }

  private static func load(_ rate: Double?) -> String {
    rate.map { "with '--rate \(Int(exactly: $0).map(String.init) ?? "\($0)")'" }
      ?? "without '--rate'"
  }

  /// True if the file has figures of a strategy in one of these workloads.
  package func hasFigures(of strategy: String, in names: [String]) -> Bool {
    names.contains { !(cells[$0]?[strategy]?.isEmpty ?? true) }
  }

  /// The ratios to a reference, for the workloads and strategies to compare.
  ///
  /// - Throws: The first strategy that the file lacks in a workload.
  package func ratios(
    to reference: String, cells names: [String], strategies: [String]
  ) throws(ScenarioError) -> Baseline.Ratios {
    for name in names {
      for strategy in [reference] + strategies where !hasFigures(of: strategy, in: [name]) {
        throw ScenarioError(
          path: path, message: "the baseline lacks '\(strategy)' in the workload '\(name)'")
      }
    }
    let entries = cells.mapValues { cell in
      cell.sorted { $0.key < $1.key }.map {
        ComparisonRecord.Entry(strategy: $0.key, rounds: $0.value)
      }
    }
    return Baseline.Ratios(entries, to: reference)
  }
}

/// Reads values from a document; throws a message with the line if one is invalid.
private struct Reader {
  let path: String

  func whole(_ key: String, of value: JSONValue) throws(ScenarioError) -> Int {
    let found = try member(key, of: value)
    guard case .number(let text) = found.content, let whole = Int(text), whole >= 0 else {
      throw wrong(key, "a whole number from 0", found)
    }
    return whole
  }

  /// A number; `nil` for `null`.
  func number(_ key: String, of value: JSONValue) throws(ScenarioError) -> Double? {
    let found = try member(key, of: value)
    if case .null = found.content { return nil }
    guard case .number(let text) = found.content, let number = Double(text) else {
      throw wrong(key, "a number or null", found)
    }
    return number
  }

  func string(_ key: String, of value: JSONValue) throws(ScenarioError) -> String {
    let found = try member(key, of: value)
    guard case .string(let text) = found.content else { throw wrong(key, "a text", found) }
    return text
  }

  func list(_ key: String, of value: JSONValue) throws(ScenarioError) -> [JSONValue] {
    let found = try member(key, of: value)
    guard case .array(let values) = found.content else { throw wrong(key, "a list", found) }
    return values
  }

  func member(_ key: String, of value: JSONValue) throws(ScenarioError) -> JSONValue {
    guard let found = value.member(key) else {
      throw ScenarioError(path: path, line: value.line, message: "'\(key)' is missing")
    }
    return found
  }

  private func wrong(_ key: String, _ expected: String, _ found: JSONValue) -> ScenarioError {
    ScenarioError(
      path: path, line: found.line, message: "'\(key)' must be \(expected), found \(found.found)")
  }
}

extension JSONValue {
  fileprivate func member(_ key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }
}
