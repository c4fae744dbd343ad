import Foundation
import Findings
import StressRunner

/// A record that grows: a line for each judged trial, written at once.
///
/// A runner that is killed loses the trial in flight, and at most the end of one line.
final class RecordWriter {
  private let descriptor: Int32
  private let encoder = JSONEncoder()
  let path: String
  /// Why a line could not be written.
  private(set) var failure: String?

  /// Opens a record, empties it and writes its head; or, to continue it, leaves what it has.
  init(
    path: String, _ head: RecordHead, continuesAt length: Int? = nil, of command: CommandName
  ) throws(UsageError) {
    self.path = path
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw UsageError(
        "The record '\(escaped(path))' cannot be written (\(String(cString: strerror(errno))))",
        command)
    }
    // Half a line at the end is that of a runner that was killed.
    if ftruncate(descriptor, off_t(length ?? 0)) != 0 || lseek(descriptor, 0, SEEK_END) < 0 {
      failure = String(cString: strerror(errno))
    }
    if length == nil { write(head) }
  }

  deinit { close(descriptor) }

  /// Adds a judged trial.
  func add(_ result: TrialResult, index: Int) { write(RecordedResult(result, index: index)) }

  private func write(_ value: some Encodable) {
    guard failure == nil else { return }
    do {
      let line = try encoder.encode(value) + [0x0A]
      failure = writeAll(Array(line), to: descriptor, at: nil).map { String(cString: strerror($0)) }
    } catch {
      failure = "a fault of Interlock's own: \(error)"
    }
  }
}
