import Foundation
import Interlock
import Prediction
import WaitForGraph

/// What a child tells its parent: a line of JSON each, on a pipe.
enum ChildEvent: Codable, Sendable {
  /// Two owners met. The child ends after it: in a heap that two have written to, what follows
  /// shows nothing more.
  case conflict(Conflict)
  /// What was exercised, before a conflict.
  case exercise(ExerciseReport)
  /// A section was misused.
  case misuse(String)
  /// An oracle did not hold.
  case oracleFailure(Observation.OracleFailure)
  /// Oracles that the subject gives nothing to decide by.
  case undecided([Observation.OracleFailure])
  /// Nothing goes on: who waits for whom. The newest counts.
  case hang(WaitSnapshot, isCertain: Bool, isOnlySlow: Bool)
  /// What did not go wrong and can; the newest counts.
  case prediction(PredictionRecord)
  /// What came of the script's order.
  case script(ScriptRecord)
  /// The trial cannot be run here.
  case notRun(String)
  /// The workload has ended and the oracles were asked; with what was exercised, where sections are
  /// tracked.
  case finished(ExerciseReport?)
}

/// The child's end of the pipe.
final class EventPipe: Sendable {
  private let descriptor: Int32
  // Not `Mutex`: ThreadSanitizer takes a contended one for a race.
  private let lock = NSLock()

  /// Wraps a descriptor that is open for writing.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes one event, whole, before it returns. May be called from any thread.
  func send(_ event: ChildEvent) {
    guard var line = try? JSONEncoder().encode(event) else { return }
    line.append(UInt8(ascii: "\n"))
    lock.withLock {
      line.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let written = write(
            descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if written > 0 {
            rest = rest.dropFirst(written)
          } else if errno != EINTR {
            return
          }
        }
      }
    }
  }
}
