import Explorer
import Findings
import Foundation
import Reports
import StressRunner

/// `merge`: combines the records of a run's shards into one run.
struct MergeCommand {
  private let world: World
  private let options: Options

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// Reads the records, checks that they are the shards of one run, and reports the run. Returns
  /// the run's exit code, computed again; never 0 if a trial was not judged.
  func perform(_ arguments: [String]) throws -> ExitCode {
    if arguments.isEmpty {
      throw UsageError("'merge' needs the records of a run, or folders with them", .merge)
    }
    var records: [Record] = []
    let isBrief = !RunReports.showsPassed(world.formats, options)
    let paths = try arguments.flatMap(Self.paths)
    for (name, file) in options.reportFiles.sorted(by: { $0.key < $1.key }) {
      guard let path = paths.first(where: { isOneFile($0, file) }) else { continue }
      throw UsageError(
        "The option '--\(name)' names the record '\(escaped(path))': it needs a file of its own",
        .merge)
    }
    for path in paths {
      records.append(try Record(path, isBrief: isBrief))
    }
    let first = try check(records)
    var options = options
    options.requiresContention = records.contains { $0.head.requiresContention == true }
    let results = Record.results(of: records)
    // In an exploration, every shard has planned every trial.
    var known: Set<Int> = []
    let planned = records.flatMap { record in
      record.head.planned.compactMap { planned -> (key: Int, value: Trial)? in
        guard let trial = results[planned.index]?.trial ?? record.trial(planned),
          known.insert(planned.index).inserted
        else { return nil }
        return (planned.index, trial)
      }
    }.sorted { $0.key < $1.key }
    var context = ReportContext(
      version: World.version, host: world.host, seed: first.head.seed, command: world.command,
      replay: first.head.replay, sight: world.sight)
    context.scenarioFiles = records.reduce(into: [:]) { files, record in
      files.merge(record.head.files) { first, _ in first }
    }
    context.activity = first.head.activity
    context.began = world.began
    context.repository = Repository(around: world.currentFolder)
    let reports = try RunReports(world.formats, options, of: .merge, in: world)
    reports.begin(planned.map(\.value), context)
    for (position, planned) in planned.enumerated() {
      if let result = results[planned.key] { reports.result(result, index: position) }
    }
    reports.clear()
    let missing = records.filter { !$0.missing.isEmpty }
    let failures = reports.end(
      seconds: results.values.reduce(0) { $0 + $1.observation.seconds },
      isComplete: missing.isEmpty, isWhole: first.head.isWhole,
      failsOnStale: options.failsOn.contains(.stale))
    for (path, reason) in failures {
      world.errors.write("error: '\(escaped(path))' could not be written: \(reason)\n")
    }
    for record in missing { reportMissing(record) }
    let run = RunCommand(world: world, options: options, .merge)
    let code = results.isEmpty ? .met : run.exitCode(.completed, reports, planned: results.count)
    guard failures.isEmpty else { return .ourFault }
    return code == .met && !missing.isEmpty ? .unmet : code
  }

  private func reportMissing(_ record: Record) {
    let missing = record.missing
    guard let first = missing.first else { return }
    world.errors.write(
      "error: \(escaped(record.path)): \(missing.count) of \(record.head.planned.count) trials were"
        + " not judged, first '\(printable(first.scenario))' on '\(printable(first.subject))':"
        + " continue with --resume\n")
  }

  /// The records below a folder, or the path itself.
  static func paths(_ argument: String) throws(ScenarioErrors) -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder),
      isFolder.boolValue
    else { return [argument] }
    let names =
      FileManager.default.enumerator(atPath: argument)?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".jsonl") }.sorted() ?? []
    if names.isEmpty {
      let message = "holds no record, expected files that end in .jsonl"
      throw ScenarioErrors(errors: [ScenarioError(path: argument, message: message)])
    }
    return names.map { argument + (argument.hasSuffix("/") ? "" : "/") + $0 }
  }

  /// Checks that the records belong to one run, with each shard once.
  private func check(_ records: [Record]) throws(ScenarioErrors) -> Record {
    func fault(_ record: Record, _ message: String) -> ScenarioErrors {
      ScenarioErrors(errors: [ScenarioError(path: record.path, line: 1, message: message)])
    }
    var shards: [Int: Record] = [:]
    guard let first = records.first else { throw ScenarioErrors(errors: []) }
    for record in records {
      if record.head.version != World.version {
        throw fault(
          record, "is of version \(printable(record.head.version)), expected \(World.version)")
      }
      if let difference = record.head.difference(from: first.head) {
        throw fault(record, "is of another run than \(escaped(first.path)): \(difference)")
      }
      if let other = shards.updateValue(record, forKey: record.head.shard) {
        throw fault(
          record,
          "is shard \(record.head.shard) of \(record.head.shards), and so is"
            + " \(escaped(other.path))")
      }
    }
    let missing = (1...first.head.shards).filter { shards[$0] == nil }
    if let number = missing.first {
      let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
      throw fault(first, "the record of shard \(number) of \(first.head.shards)\(more) is missing")
    }
    return first
  }
}

extension Record {
  /// The results of the shards of one run, by index. An exploration has a result only if none of
  /// its parts is missing.
  static func results(of shards: [Record]) -> [Int: TrialResult] {
    var results: [Int: TrialResult] = [:]
    for shard in shards {
      for (index, result) in shard.results where results[index] == nil {
        if result.trial.explore == nil {
          results[index] = result
          continue
        }
        let parts = shards.compactMap { $0.results[index] }
        if parts.count == shards.count { results[index] = TrialResult(parts: parts) }
      }
    }
    return results
  }

  /// The trial for a planned one; if it was judged, the trial that was run.
  func trial(_ planned: RecordHead.Planned) -> Trial? {
    if let result = results[planned.index] { return result.trial }
    return head.scenariosByName[planned.scenario].map {
      Trial(scenario: $0, subject: planned.subject, seed: planned.seed)
    }
  }
}

extension RecordHead {
  /// The difference from another shard's record, in a few words; `nil` if both belong to one run.
  func difference(from other: RecordHead) -> String? {
    if activity != other.activity { return "'\(printable(activity))' and not '\(other.activity)'" }
    if seed != other.seed { return "the seed is another" }
    if shards != other.shards { return "\(shards) shards and not \(other.shards)" }
    if selection != other.selection || isWhole != other.isWhole {
      return "the scenarios, subjects or options are others"
    }
    return nil
  }
}
