import Foundation
import Reports
import StressRunner

/// The file that `--json` names.
///
/// What was judged must survive whatever happens to the runner, so the file is a whole JSON
/// document from the start and after each result: an entry is written over the document's tail,
/// together with the new tail, by one call. The cost of a result does not grow with the number of
/// results before it. A result that does not fit on the disk is taken back, and none is added after
/// it: the file ends with the last whole one. Into a pipe, where nothing can be written over,
/// entries go as they arrive and the tail at the end.
final class JSONResultFile {
  private enum Target {
    case file(Int32, end: Int)
    case stream(Int32)
    case sink(any TextSink)
  }

  private var target: Target
  private var summary = ReportSummary()
  private let planned: Int
  /// Why something could not be written.
  private(set) var failure: String?

  /// Opens a file, and empties it.
  ///
  /// - Throws: Why it cannot be written, in words.
  init(
    path: String, planned: Int, context: ReportContext, output: any TextSink
  ) throws(UsageError) {
    self.planned = planned
    if path == "-" {
      target = .sink(output)
    } else {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else {
        throw UsageError(
          "The value '\(escaped(path))' is invalid for '--json <file>': it cannot be written"
            + " (\(String(cString: strerror(errno))))", .run)
      }
      var status = stat()
      let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      target = isFile ? .file(descriptor, end: 0) : .stream(descriptor)
    }
    append(JSONReport.head(context), ReportSummary())
  }

  deinit {
    switch target {
    case .file(let descriptor, _), .stream(let descriptor): close(descriptor)
    case .sink: break
    }
  }

  /// Adds a result.
  func add(_ result: TrialResult) {
    guard failure == nil else { return }
    let separator = JSONReport.separator(isFirst: summary.count == 0)
    var next = summary
    next.add(result)
    append(separator + JSONReport.entry(result), next)
  }

  /// Writes what is left to write.
  func finish() {
    let tail = JSONReport.tail(summary, planned: planned)
    switch target {
    case .file: break
    case .stream(let descriptor): note(writeAll(Array(tail.utf8), to: descriptor, at: nil))
    case .sink(let sink): sink.write(tail)
    }
  }

  /// Adds a text, after which the document has these results.
  private func append(_ text: String, _ next: ReportSummary) {
    switch target {
    case .file(let descriptor, let end):
      // The tail never gets shorter, so it always covers the one before.
      let tail = JSONReport.tail(next, planned: planned)
      if let reason = writeAll(Array((text + tail).utf8), to: descriptor, at: end) {
        takeBack(to: end, in: descriptor)
        note(reason)
        return
      }
      target = .file(descriptor, end: end + text.utf8.count)
    case .stream(let descriptor):
      note(writeAll(Array(text.utf8), to: descriptor, at: nil))
    case .sink(let sink):
      sink.write(text)
    }
    summary = next
  }

  /// Writes the tail that was there before once more: its bytes are the file's already, so a full
  /// disk has room for them.
  private func takeBack(to end: Int, in descriptor: Int32) {
    guard end > 0 else {
      ftruncate(descriptor, 0)
      return
    }
    let tail = Array(JSONReport.tail(summary, planned: planned).utf8)
    _ = writeAll(tail, to: descriptor, at: end)
    ftruncate(descriptor, off_t(end + tail.count))
  }

  private func note(_ reason: Int32?) {
    guard let reason, reason != EPIPE else { return }
    failure = String(cString: strerror(reason))
  }
}
