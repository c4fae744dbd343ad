import Explorer
import Foundation
import Interlock
import Prediction
import Hangs

/// An event that a child reports to its parent: one line of JSON on a pipe.
enum ChildEvent: Codable, Sendable {
  /// A conflict was recorded. The child ends after it: two owners have written to its heap, so
  /// later results mean nothing.
  case conflict(Conflict)
  /// Two memory accesses race. The child continues.
  case memoryRace(MemoryRace)
  /// Memory is no longer checked, for this reason.
  case memoryLost(String)
  /// Contention coverage up to a conflict.
  case coverage(CoverageReport)
  /// A section was misused.
  case misuse(String)
  /// An oracle did not hold.
  case oracleFailure(Observation.OracleFailure)
  /// Oracles that the subject's data could not decide.
  case undecided([Observation.OracleFailure])
  /// No thread can continue: the wait-for graph. The newest snapshot counts.
  case hang(WaitSnapshot, isCertain: Bool, isOnlySlow: Bool)
  /// Predicted findings that did not occur in this run. The newest record counts.
  case prediction(PredictionRecord)
  /// How the script's order ended.
  case script(ScriptRecord)
  /// The outcome of the exploration.
  case explored(ExplorationRecord)
  /// The trial cannot run on this machine.
  case notRun(String)
  /// This machine refuses a resource that every trial needs.
  case fault(String)
  /// The workload has ended and the oracles have been checked; with the contention coverage, if
  /// sections are tracked.
  case finished(CoverageReport?)
}

extension ChildEvent {
  /// The event as a line. JSON cannot represent a number that is infinite or not a number, such as
  /// a ratio to zero: such a number is written as a string.
  var line: Data {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try encoder.encode(self)
    } catch {
      // Send a fault: an event lost silently would look like a trial without it.
      let fault = ChildEvent.fault("an event of the trial cannot be encoded: \(error)")
      return (try? JSONEncoder().encode(fault)) ?? Data()
    }
  }

  /// Leaves out a part of an event whose line is too long for the parent: of an exploration's
  /// failing order, half of the steps or of the blocked threads.
  ///
  /// - Returns: False if nothing can be left out.
  mutating func shorten() -> Bool {
    guard case .explored(var record) = self, case .failed(var failure) = record.outcome,
      failure.schedule.shorten()
    else { return false }
    record.outcome = .failed(failure)
    self = .explored(record)
    return true
  }

  /// Parses a line; `nil` if it is not an event.
  init?(line: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let event = try? decoder.decode(ChildEvent.self, from: Data(line)) else { return nil }
    self = event
  }
}

/// The child's end of the pipe.
final class EventPipe: Sendable {
  private let descriptor: Int32
  // `Mutex` cannot be used: ThreadSanitizer reports a contended one as a race.
  private let lock = NSLock()

  /// Creates the pipe from a descriptor that is open for writing.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes one complete event before it returns, shortened if its line would be longer than the
  /// parent accepts. Callable from any thread.
  func send(_ event: ChildEvent) {
    var event = event
    var line = event.line
    while line.count > EventLines.longestLine, event.shorten() { line = event.line }
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
