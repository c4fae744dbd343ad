import Foundation
import Findings
import StressRunner

/// Writes a record that grows by one line for each judged trial, without buffering.
///
/// A killed runner loses the trials in progress, and at most the end of one line.
final class RecordWriter {
  private let descriptor: Int32
  private let encoder = JSONEncoder()
  let path: String
  /// Why a line could not be written; `nil` if all were written.
  private(set) var failure: String?

  /// Opens a record. A new one is emptied and gets its head; a continued one keeps its content.
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
    // Remove an incomplete line at the end, which a killed runner has left.
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
