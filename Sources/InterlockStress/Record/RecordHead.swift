import Findings
import Foundation
import Explorer
import Reports
import StressRunner

/// The first line of a record, which describes its run.
struct RecordHead: Codable, Equatable {
  static let schema = "interlock-record"
  static let version = 1

  /// A planned trial.
  struct Planned: Codable, Hashable {
    /// The index of the trial among the trials of all shards.
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
  /// The number of the shard, from 1, and the number of shards.
  var shard: Int
  var shards: Int
  /// True if the shards together try every scenario on every subject.
  var isWhole: Bool
  /// The trials of this shard; repeated trials are listed several times.
  var planned: [Planned]
  /// The scenarios of this shard's trials.
  var scenarios: [Scenario]
  /// The tested commit; `nil` if unknown.
  var commit: String?
  /// The beginning of the run, in seconds since 1970; `nil` in records of earlier versions.
  var began: Int?
  /// The options that a replay command repeats.
  var replay = ReportContext.Replay()
  /// True if a resource with a single owner fails the run; `nil` in records of earlier versions.
  var requiresContention: Bool?
  /// The scenarios' files relative to the repository, by scenario name.
  var files: [String: String] = [:]
}

/// A judged trial in a record. Its scenario is in the head.
struct RecordedResult: Codable, Sendable {
  /// The index of the trial among the trials of all shards.
  var index: Int
  var scenario: String
  var subject: String
  var seed: UInt64
  var delays: TrialDelays?
  var predicts: Bool
  /// `nil` in records of versions without the memory check.
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

  /// The planned trial of this result.
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
  /// Creates the head of a shard's record; `own` has the indices of the shard's trials in `all`.
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
      // Leave out the trap file and the corpus: their paths are valid on one machine only.
      var explore = trial.explore
      explore?.options.corpus = nil
      return "\(trial.scenario.name) \(trial.subject) \(trial.seed) \(trial.predicts)"
        + "\(trial.checksMemory ? " memory" : "") \(trial.delays != nil)"
        + " \(explore.map(text) ?? "")"
    }
    return Finding.Key.fingerprint(of: scenarios(trials).map(text) + options)
  }
}
