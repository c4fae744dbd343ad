import CMarks
import CInterlockWatchdog
import Foundation
import Interlock
import Prediction
import ProcessInspection

/// Reports, when a process ends, the deadlocks and races that did not occur in it but can, if the
/// environment has `INTERLOCK_OPTIONS="predict=on"`. The exit code does not change, unless
/// `fail_on=potential` is set too.
enum PredictionAtExit {
  private static let mostFindings = 20
  private static let mostFrames = 12

  /// The lines of the report; none if nothing was found and everything could be followed.
  static func lines(_ record: PredictionRecord) -> [String] {
    if case .unavailable(let reason) = record.state {
      return ["interlock: nothing is predicted: \(reason)"]
    }
    var lines: [String] = []
    for finding in record.findings.prefix(mostFindings) {
      let text = FindingText(finding, mostFrames: mostFrames)
      lines.append("interlock: potential, not observed: " + text.headline)
      lines += text.details.map { "  " + $0 }
    }
    let left = record.findings.count - mostFindings
    if left > 0 { lines.append("interlock: … and \(left) more potential findings") }
    return lines + record.notes.map { "interlock: prediction is not complete: \($0)" }
  }

  /// Starts prediction, and reports when `exit` is called or `main` returns.
  static func start() {
    let options = WatchdogOptions.ofThisProcess
    guard options.predicts else { return }
    Predictor.start(holdSeconds: options.holdLimit)
    atexit { PredictionAtExit.printFindings() }
    // If this build sees no calls, the report says why nothing is predicted.
    guard InterposedCalls.blindness == nil else { return }
    SectionTracking.announce(
      "prediction is armed: findings are printed at exit"
        + (options.failOn == .potential ? ", with exit code \(SectionTracking.exitCode)" : ""))
  }

  private static func printFindings() {
    Predictor.noteExit()
    let record = Predictor.record(atEnd: true)
    ProcessReport.note(record)
    let text = lines(record).map { $0 + "\n" }.joined()
    text.utf8CString.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      interlock_write_error(start, bytes.count - 1)
    }
    guard !record.findings.isEmpty, WatchdogOptions.ofThisProcess.failOn == .potential else {
      return
    }
    interlock_exit_from_handler(Int32(SectionTracking.exitCode))
  }
}

/// Called before `main`, by `Sources/CInterlockWatchdog/start.c`.
@_cdecl("interlock_prediction_start_from_environment")
func startPredictionFromEnvironment() { PredictionAtExit.start() }
