import Foundation
import Prediction
import StressRunner

/// The result of one detector for one run of a program.
enum Sighting: Equatable {
  /// The program ended, and nothing was reported.
  case silent
  /// Something was reported.
  case reported
  /// The run cannot be judged: it crashed, hung, or did not start.
  case failed(String)

  /// The result of a process under ThreadSanitizer, by its output or its exit code.
  init(sanitized ending: OutsideRun.Ending, output: String) {
    if output.contains("WARNING: ThreadSanitizer") {
      self = .reported
    } else {
      self.init(ending)
    }
  }

  /// The result of a process under Helgrind or DRD, by the summary line at its end.
  init(valgrind ending: OutsideRun.Ending, output: String) {
    let summary = output.split(separator: "\n").last { $0.contains("ERROR SUMMARY: ") }
    let count = summary?.components(separatedBy: "ERROR SUMMARY: ").last?
      .prefix { $0 != " " }.filter { $0 != "," }
    switch (ending, count.flatMap { Int($0) }) {
    case (_, let errors?) where errors > 0: self = .reported
    case (.exited(0), nil): self = .failed("no summary")
    default: self.init(ending)
    }
  }

  private init(_ ending: OutsideRun.Ending) {
    self =
      switch ending {
      case .exited(0): .silent
      case .exited(OutsideRun.reportCode): .reported
      case .exited(let code): .failed("exit code \(code)")
      case .killed(let signal): .failed("signal \(signal)")
      case .overTime: .failed("hung")
      case .notStarted(let reason): .failed(reason)
      }
  }
}

extension Sighting {
  /// The result of a trial by observed events alone.
  init(observed result: TrialResult) {
    self =
      switch result.verdict.kind {
      case .passed: .silent
      case .race, .deadlock, .violation: .reported
      case .crashed, .timedOut, .skipped, .undecided: .failed(result.verdict.kind.rawValue)
      }
  }

  /// The result of a trial by observed events and predictions.
  init(predicted result: TrialResult) {
    let observed = Sighting(observed: result)
    if observed == .reported || !result.observation.prediction.findings.isEmpty {
      self = .reported
    } else if observed == .silent, result.observation.prediction.state != .on {
      // A trial in which prediction was off is not a silent one.
      self = .failed("no prediction")
    } else {
      self = observed
    }
  }
}
