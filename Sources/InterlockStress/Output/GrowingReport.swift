import Foundation
import Findings
import Reports
import StressRunner

/// A report in a file that is complete from the start and after each result.
///
/// Judged results must survive anything that happens to the runner. Each result therefore
/// overwrites the report's end with the result and a new end, in a single write. If a result does
/// not fit on the disk, it is removed again and no more are added: the file ends with the last
/// complete result. A pipe cannot be overwritten: results are written as they arrive, and the end
/// when the run is over.
final class GrowingReport {
  private enum Target {
    /// A file, with the number of bytes before the report's end.
    case file(Int32, body: Int)
    case stream(Int32)
    case sink(any TextSink)
  }

  private var reporter: any Reporter
  private var target: Target
  /// The report's end, as currently written in the file.
  private var tail: [UInt8] = []
  /// Why a write failed; `nil` if none did.
  private(set) var failure: String?

  /// Opens the file of a format's option; `-` is standard output.
  ///
  /// - Throws: An error if the file cannot be written.
  init(
    _ reporter: any Reporter, path: String, option: String, of command: CommandName,
    output: any TextSink
  ) throws(UsageError) {
    self.reporter = reporter
    if path == "-" {
      target = .sink(output)
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw UsageError(
        "The value '\(escaped(path))' is invalid for '--\(option) <file>': it cannot be written"
          + " (\(String(cString: strerror(errno))))", command)
    }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    target = isFile ? .file(descriptor, body: 0) : .stream(descriptor)
  }

  deinit {
    switch target {
    case .file(let descriptor, _), .stream(let descriptor): close(descriptor)
    case .sink: break
    }
  }

  /// Empties the file, and begins the report.
  func begin(_ trials: [Trial], _ context: ReportContext, _ summary: ReportSummary) {
    if case .file(let descriptor, _) = target { ftruncate(descriptor, 0) }
    append(reporter.begin(trials, context), summary)
  }

  /// Adds a result; `summary` is the state of the run including this result.
  func result(_ result: TrialResult, _ summary: ReportSummary) {
    guard failure == nil else { return }
    append(reporter.result(result), summary)
  }

  /// Writes the remaining text.
  func end(_ summary: ReportSummary) {
    switch target {
    case .file: if failure == nil { append("", summary) }
    case .stream(let descriptor):
      note(writeAll(Array(reporter.end(summary).utf8), to: descriptor, at: nil))
    case .sink(let sink): sink.write(reporter.end(summary))
    }
  }

  /// Appends a text, followed by the report's end if the output is a file.
  private func append(_ text: String, _ summary: ReportSummary) {
    switch target {
    case .file(let descriptor, let body):
      let next = Array(reporter.end(summary).utf8)
      guard !text.isEmpty || next != tail else { return }
      if let reason = replaceEnd(by: Array(text.utf8) + next, at: body, in: descriptor) {
        note(reason)
        // The file already has the bytes of the old end, so even a full disk has room for them.
        _ = replaceEnd(by: tail, at: body, in: descriptor)
        return
      }
      tail = next
      target = .file(descriptor, body: body + text.utf8.count)
    case .stream(let descriptor):
      note(writeAll(Array(text.utf8), to: descriptor, at: nil))
    case .sink(let sink):
      sink.write(text)
    }
  }

  /// Replaces the report's end by these bytes, and truncates the file after them.
  private func replaceEnd(by bytes: [UInt8], at offset: Int, in descriptor: Int32) -> Int32? {
    if let reason = writeAll(bytes, to: descriptor, at: offset) { return reason }
    return ftruncate(descriptor, off_t(offset + bytes.count)) == 0 ? nil : errno
  }

  private func note(_ reason: Int32?) {
    guard let reason, reason != EPIPE else { return }
    failure = String(cString: strerror(reason))
  }
}
