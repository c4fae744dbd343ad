import Interlock
import Prediction
import Reports
import StressRunner

/// The part of a recorded trial that a brief report shows of a trial that passed as expected,
/// without an exploration and without predicted findings. Decoding it takes a third of the work of
/// decoding the whole line.
struct BriefResult: Decodable {
  var key: RecordHead.Planned
  var observation: Observation
  private var predicts: Bool
  private var memory: Bool?

  private enum CodingKeys: CodingKey {
    case index, scenario, subject, seed, explore, predicts, memory, observation, verdict
  }

  private enum CaseKeys: CodingKey {
    case passed, off
  }

  private enum PredictionKeys: CodingKey {
    case state
  }

  private enum ObservationKeys: CodingKey {
    case completed, operations, seconds, seesCalls, prediction, memory, coverage, exploration
    case undecidedOracles
  }

  /// Decodes a result that passed; throws for all others.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func requireNone(_ key: CodingKeys, if isWhole: Bool) throws {
      guard isWhole else { return }
      throw DecodingError.dataCorruptedError(
        forKey: key, in: values, debugDescription: "not a trial that passed")
    }
    let verdict = try values.nestedContainer(keyedBy: CaseKeys.self, forKey: .verdict)
    try requireNone(.verdict, if: !verdict.contains(.passed))
    try requireNone(.explore, if: values.contains(.explore))
    let seen = try values.nestedContainer(keyedBy: ObservationKeys.self, forKey: .observation)
    try requireNone(.observation, if: seen.contains(.exploration))
    let state = try seen.nestedContainer(keyedBy: PredictionKeys.self, forKey: .prediction)
      .nestedContainer(keyedBy: CaseKeys.self, forKey: .state)
    let prediction =
      state.contains(.off)
      ? PredictionRecord(state: .off) : try seen.decode(PredictionRecord.self, forKey: .prediction)
    try requireNone(.observation, if: !prediction.findings.isEmpty)
    key = RecordHead.Planned(
      index: try values.decode(Int.self, forKey: .index),
      scenario: try values.decode(String.self, forKey: .scenario),
      subject: try values.decode(String.self, forKey: .subject),
      seed: try values.decode(UInt64.self, forKey: .seed))
    predicts = try values.decode(Bool.self, forKey: .predicts)
    memory = try values.decodeIfPresent(Bool.self, forKey: .memory)
    observation = Observation(
      ending: .exited(code: 0), operations: try seen.decode(Int.self, forKey: .operations))
    observation.finished = true
    observation.completed = try seen.decode(Int.self, forKey: .completed)
    observation.seconds = try seen.decode(Double.self, forKey: .seconds)
    observation.seesCalls = try seen.decode(Bool.self, forKey: .seesCalls)
    observation.prediction = prediction
    observation.memory = try seen.decodeIfPresent(MemoryRecord.self, forKey: .memory)
    if seen.contains(.coverage) {
      let coverage = try seen.nestedContainer(keyedBy: CoverageKeys.self, forKey: .coverage)
      observation.coverage = try Self.coverage(coverage)
    }
    var undecided = try seen.nestedUnkeyedContainer(forKey: .undecidedOracles)
    while !undecided.isAtEnd {
      observation.undecidedOracles.append(try undecided.decode(Observation.OracleFailure.self))
    }
  }

  /// The result, if it is as expected. It shares the scenario and the subject's name with `trial`.
  func result(_ trial: Trial, as planned: RecordHead.Planned) -> TrialResult? {
    var trial = trial
    trial.subject = planned.subject
    trial.seed = planned.seed
    trial.predicts = predicts
    trial.checksMemory = memory ?? false
    let result = TrialResult(trial: trial, observation: observation, verdict: .passed)
    return result.isMet == true ? result : nil
  }

  private enum CoverageKeys: CodingKey {
    case resources, isFull, isMeasured, name, contention, overlapped, nearMisses
  }

  /// A coverage report without the places and pairs of its resources.
  private static func coverage(
    _ values: KeyedDecodingContainer<CoverageKeys>
  ) throws -> CoverageReport {
    var report = CoverageReport(isMeasured: try values.decode(Bool.self, forKey: .isMeasured))
    report.isFull = try values.decode(Bool.self, forKey: .isFull)
    var resources = try values.nestedUnkeyedContainer(forKey: .resources)
    while !resources.isAtEnd {
      let resource = try resources.nestedContainer(keyedBy: CoverageKeys.self)
      let contention = try resource.decode(String.self, forKey: .contention)
      guard let contention = CoverageReport.Contention(rawValue: contention) else {
        throw DecodingError.dataCorruptedError(
          forKey: .contention, in: resource, debugDescription: "no contention")
      }
      report.resources.append(
        CoverageReport.Resource(
          name: try resource.decode(String.self, forKey: .name), owners: 0, contention: contention,
          places: [], pairs: [], overlapped: try resource.decode(Int.self, forKey: .overlapped),
          nearMisses: try resource.decode(Int.self, forKey: .nearMisses), apart: 0))
    }
    return report
  }
}

/// The lines of the brief results whose coverage a report shows: for each resource of a scenario on
/// a subject, the first line with the best coverage.
struct ShownCoverage {
  private struct Name: Hashable {
    var scenario: String
    var subject: String
    var resource: String
  }

  private struct Best {
    var rank: Int
    var index: Int
    var line: LineReader.Line
  }

  private var best: [Name: Best] = [:]

  mutating func add(_ result: TrialResult, index: Int, _ line: LineReader.Line) {
    for resource in result.observation.coverage?.resources ?? [] {
      let name = Name(
        scenario: result.trial.scenario.name, subject: result.trial.subject,
        resource: resource.name)
      let rank = ResourceCoverage.rank(resource)
      if let known = best[name], (known.rank, index) > (rank, known.index) { continue }
      best[name] = Best(rank: rank, index: index, line: line)
    }
  }

  /// The distinct lines.
  var lines: [LineReader.Line] {
    Dictionary(best.values.map { ($0.index, $0.line) }) { first, _ in first }.map(\.value)
  }
}
