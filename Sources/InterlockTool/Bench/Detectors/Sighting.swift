import Foundation
import Prediction
import StressRunner

/// What one detector said of one run of a program.
enum Sighting: Equatable {
  /// The program ended, and nothing was reported.
  case silent
  /// Something was reported.
  case reported
  /// There was no run to judge: it crashed, hung, or did not start.
  case failed(String)

  /// Of a process under ThreadSanitizer: by what it printed, or by the exit code that stands for
  /// reports.
  init(sanitized ending: OutsideRun.Ending, output: String) {
    if output.contains("WARNING: ThreadSanitizer") {
      self = .reported
    } else {
      self.init(ending)
    }
  }

  /// Of a process under Helgrind or DRD: by the line that sums up, which each prints at its end.
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
  /// Of a trial by what was seen to happen alone.
  init(observed result: TrialResult) {
    self =
      switch result.verdict.kind {
      case .passed: .silent
      case .race, .deadlock, .violation: .reported
      case .crashed, .timedOut, .skipped: .failed(result.verdict.kind.rawValue)
      }
  }

  /// Of a trial by what was seen, or can happen in another run.
  init(predicted result: TrialResult) {
    let observed = Sighting(observed: result)
    if observed == .reported || !result.observation.prediction.findings.isEmpty {
      self = .reported
    } else if observed == .silent, result.observation.prediction.state != .on {
      // A trial that looked and a trial that could not are not the same silence.
      self = .failed("no prediction")
    } else {
      self = observed
    }
  }
}
