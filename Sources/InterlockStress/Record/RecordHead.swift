import Findings
import Foundation
import Explorer
import Reports
import StressRunner

/// What a record states about its run, in its first line.
struct RecordHead: Codable, Equatable {
  static let schema = "interlock-record"
  static let version = 1

  /// A trial that was planned.
  struct Planned: Codable, Hashable {
    /// Its position among the trials of all shards.
    var index: Int
    var scenario: String
    var subject: String
    var seed: UInt64
  }

  var schema = Self.schema
  var schemaVersion = Self.version
  /// The version of the package.
  var version: String
  /// `run` or `explore`.
  var activity: String
  /// A hash of all trials of all shards, with their scenarios and options.
  var selection: String
  /// The seed of every trial; `nil` if each scenario uses its own.
  var seed: UInt64?
  /// The number of the shard, from 1, and how many there are.
  var shard: Int
  var shards: Int
  /// Whether the shards together try every scenario on every subject.
  var isWhole: Bool
  /// The trials of this shard, repeated ones as often as they are tried.
  var planned: [Planned]
  /// The scenarios of this shard's trials.
  var scenarios: [Scenario]
  /// The commit that was tested, if it is known.
  var commit: String?
  /// When the run began, in seconds since 1970; `nil` in records of earlier versions.
  var began: Int?
  /// What a replay command repeats.
  var replay = ReportContext.Replay()
  /// The scenarios' files, relative to the repository, by the scenarios' names.
  var files: [String: String] = [:]
}

/// A judged trial in a record; its scenario is in the head.
struct RecordedResult: Codable, Sendable {
  /// The position of its trial among those of all shards.
  var index: Int
  var scenario: String
  var subject: String
  var seed: UInt64
  var delays: TrialDelays?
  var predicts: Bool
  /// Nil in a record of a version without the check.
  var memory: Bool?
  var explore: ExploreRequest?
  var observation: Observation
  var verdict: Verdict

  init(_ result: TrialResult, index: Int) {
    self.index = index
    scenario = result.trial.scenario.name
    subject = result.trial.subject
    seed = result.trial.seed
    delays = result.trial.delays
    predicts = result.trial.predicts
    memory = result.trial.checksMemory
    explore = result.trial.explore
    observation = result.observation
    verdict = result.verdict
  }

  /// The planned trial that it is.
  var key: RecordHead.Planned {
    RecordHead.Planned(index: index, scenario: scenario, subject: subject, seed: seed)
  }

  /// The result; `nil` if no trial has its scenario. Results share the scenarios of these trials.
  func result(_ trials: [String: Trial]) -> TrialResult? {
    guard var trial = trials[scenario] else { return nil }
    trial.subject = subject
    trial.seed = seed
    trial.delays = delays
    trial.predicts = predicts
    trial.checksMemory = memory ?? false
    trial.explore = explore
    return TrialResult(trial: trial, observation: observation, verdict: verdict)
  }
}

extension RecordHead {
  /// The head of the record of a shard that has the trials at the positions `own` among all.
  init(
    activity: String, seed: UInt64?, shard: Shard, isWhole: Bool, all: [Trial], own: [Int]
  ) {
    version = interlockVersion
    self.activity = activity
    self.seed = seed
    self.shard = shard.number
    shards = shard.count
    self.isWhole = isWhole
    planned = own.map { index in
      let trial = all[index]
      return Planned(
        index: index, scenario: trial.scenario.name, subject: trial.subject, seed: trial.seed)
    }
    scenarios = Self.scenarios(own.map { all[$0] })
    selection = Self.hash(all)
  }

  private static func scenarios(_ trials: [Trial]) -> [Scenario] {
    var names: Set<String> = []
    return trials.map(\.scenario).filter { names.insert($0.name).inserted }
  }

  /// A hash of trials with their scenarios and options.
  private static func hash(_ trials: [Trial]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    func text(_ value: some Encodable) -> String {
      (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    let options = trials.map { trial in
      // Without the file of delays, whose path is that of one machine.
      "\(trial.scenario.name) \(trial.subject) \(trial.seed) \(trial.predicts)"
        + "\(trial.checksMemory ? " memory" : "") \(trial.delays != nil)"
        + " \(trial.explore.map(text) ?? "")"
    }
    return Finding.Key.fingerprint(of: scenarios(trials).map(text) + options)
  }
}
