import Foundation
import Findings
import StressRunner

/// A record that has been read.
struct Record {
  /// The size limits of a record and of a line, in bytes.
  private static let mostBytes = 4 << 30
  private static let longestLine = 64 << 20
  /// The approximate number of bytes that are decoded at a time, on all processors.
  private static let batchBytes = 4 << 20

  let path: String
  let head: RecordHead
  /// The judged trials, by their index among the trials of all shards.
  private(set) var results: [Int: TrialResult] = [:]
  /// The length of the complete lines, in bytes.
  private(set) var length = 0

  /// Reads a record.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isBrief: True to keep only `BriefResult` of trials that passed as expected.
  /// - Throws: The first error, with its line.
  init(_ path: String, isBrief: Bool = false) throws(ScenarioErrors) {
    do throws(ScenarioError) {
      let reader = try LineReader(path, most: Self.mostBytes, longest: Self.longestLine)
      self = try Self.read(reader, path, Self.batchBytes, isBrief: isBrief)
    } catch {
      throw ScenarioErrors(errors: [error])
    }
  }

  private init(path: String, head: RecordHead) {
    self.path = path
    self.head = head
  }

  /// Reads a record in memory, for tests.
  init(
    _ bytes: [UInt8], path: String, batchBytes: Int = Self.batchBytes, isBrief: Bool = false
  ) throws(ScenarioError) {
    let reader = LineReader(bytes, path: path, longest: Self.longestLine)
    self = try Self.read(reader, path, batchBytes, isBrief: isBrief)
  }

  /// The kinds of lines.
  private enum Decoded: Sendable {
    case none
    case unplanned
    case result(TrialResult, index: Int, isBrief: Bool)
  }

  private static func read(
    _ reader: LineReader, _ path: String, _ batchBytes: Int, isBrief: Bool
  ) throws(ScenarioError) -> Record {
    var reader = reader
    guard let first = try reader.next() else {
      let found = reader.hasRest ? "has half a line and no more" : "is empty"
      throw ScenarioError(path: path, message: "\(found), expected a record")
    }
    let decoder = JSONDecoder()
    func fault(_ message: String) -> ScenarioError {
      ScenarioError(path: path, line: reader.number, message: message)
    }
    // Check the schema first: a newer one may have another structure.
    struct Version: Decodable {
      var schema: String?
      var schemaVersion: Int?
    }
    guard let version = try? decoder.decode(Version.self, from: Data(first)),
      version.schema == RecordHead.schema
    else { throw fault("is no record: expected \"schema\": \"\(RecordHead.schema)\"") }
    guard version.schemaVersion == RecordHead.version else {
      let found = version.schemaVersion.map { "\($0)" } ?? "none"
      throw fault("'schemaVersion' must be \(RecordHead.version), found \(found)")
    }
    guard let head = try? decoder.decode(RecordHead.self, from: Data(first)),
      head.shards >= 1, (1...head.shards).contains(head.shard)
    else { throw fault("its first line is not that of a record") }
    var record = Record(path: path, head: head)
    record.length = reader.offset
    let trials = head.scenariosByName.mapValues { Trial(scenario: $0, subject: "", seed: 0) }
    let positions = Dictionary(
      zip(head.planned.map(\.index), head.planned.indices), uniquingKeysWith: { first, _ in first })
    guard positions.count == head.planned.count,
      head.planned.allSatisfy({ trials[$0.scenario] != nil })
    else { throw fault("its plan has a trial twice, or without its scenario") }
    @Sendable func decode(_ bytes: [UInt8], isBrief: Bool) -> Decoded {
      let decoder = JSONDecoder()
      if isBrief, let brief = try? decoder.decode(BriefResult.self, from: Data(bytes)),
        let position = positions[brief.key.index], head.planned[position] == brief.key,
        let trial = trials[brief.key.scenario],
        let result = brief.result(trial, as: head.planned[position])
      {
        return .result(result, index: brief.key.index, isBrief: true)
      }
      guard let recorded = try? decoder.decode(RecordedResult.self, from: Data(bytes)),
        let result = recorded.result(trials)
      else { return .none }
      guard let position = positions[recorded.index], head.planned[position] == recorded.key else {
        return .unplanned
      }
      return .result(result, index: recorded.index, isBrief: false)
    }
    var shown = ShownCoverage()
    while true {
      let lines = try reader.next(bytes: batchBytes)
      if lines.isEmpty { break }
      for (line, decoded) in zip(
        lines, lines.mappedConcurrently { decode($0.bytes, isBrief: isBrief) })
      {
        func fault(_ message: String) -> ScenarioError {
          ScenarioError(path: path, line: line.number, message: message)
        }
        switch decoded {
        case .none: throw fault("is not a judged trial")
        case .unplanned: throw fault("is a trial that was not planned")
        case .result(let result, let index, let isBrief):
          guard record.results.updateValue(result, forKey: index) == nil else {
            throw fault("is a trial that is there already")
          }
          if isBrief { shown.add(result, index: index, line) }
        }
      }
      record.length = reader.offset
    }
    for line in shown.lines {
      guard case .result(let result, let index, _) = decode(line.bytes, isBrief: false) else {
        throw ScenarioError(path: path, line: line.number, message: "is not a judged trial")
      }
      record.results[index] = result
    }
    return record
  }

  /// The trials that were planned but not judged.
  var missing: [RecordHead.Planned] { head.planned.filter { results[$0.index] == nil } }
}

extension RecordHead {
  /// The scenarios, by name.
  var scenariosByName: [String: Scenario] {
    Dictionary(scenarios.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The first error in a record, as a message; `nil` if the record is valid.
package func faultOfRecord(_ bytes: [UInt8], path: String) -> String? {
  do throws(ScenarioError) {
    _ = try Record(bytes, path: path)
    return nil
  } catch {
    return error.description
  }
}
