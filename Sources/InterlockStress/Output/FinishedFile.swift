import CInterlockHarness
import Foundation
import Findings
import StressRunner

/// A file that is written when a run is over, completely or not at all.
///
/// The new file is renamed into place, so that a reader with the earlier file open never sees half
/// of it. A path that is not a regular file, such as a pipe, is written directly.
struct FinishedFile {
  private let path: String

  /// Checks that the file can be written, before anything runs.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - option: The option that names it, without hyphens, for messages.
  ///   - command: The command that has the option.
  /// - Throws: An error if the file cannot be written.
  init(
    path: String, option: String, of command: CommandName
  ) throws(UsageError) {
    // Resolve links, so that a link to the file stays one.
    let real = path.withCString { realpath($0, nil) }
    self.path = real.map { String(cString: $0) } ?? path
    free(real)
    var status = stat()
    var reason: Int32 = 0
    if stat(self.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      reason = EISDIR
    } else if !isStream(status) {
      if access(folder, W_OK | X_OK) != 0 { reason = errno }
    } else if access(self.path, W_OK) != 0 {
      reason = errno
    }
    guard reason == 0 else {
      throw UsageError(
        "The value '\(escaped(path))' is invalid for '--\(option) <file>': it cannot be written"
          + " (\(String(cString: strerror(reason))))", command)
    }
  }

  /// Writes the file.
  ///
  /// - Returns: Why it could not be written; `nil` on success.
  func write(_ text: String) -> String? {
    var status = stat()
    let bytes = Array(text.utf8)
    if stat(path, &status) == 0, isStream(status) {
      return write(bytes, to: path, O_WRONLY | O_CLOEXEC)
        .flatMap { $0 == EPIPE ? nil : String(cString: strerror($0)) }
    }
    // A signal must not leave the draft behind: record it, and finish the file first.
    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    let draft = "\(folder)/.\(name).\(getpid())"
    var reason = write(bytes, to: draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    if reason == nil, rename(draft, path) != 0 { reason = errno }
    if reason != nil, reason != EEXIST { unlink(draft) }
    return reason.map { String(cString: strerror($0)) }
  }

  private func write(_ bytes: [UInt8], to file: String, _ flags: Int32) -> Int32? {
    let descriptor = open(file, flags, 0o644)
    guard descriptor >= 0 else { return errno }
    let reason = writeAll(bytes, to: descriptor, at: nil)
    // On a network file system, `close` may be the first call to report a full disk.
    return close(descriptor) == 0 ? reason : reason ?? errno
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

  private func isStream(_ status: stat) -> Bool {
    status.st_mode != 0 && status.st_mode & S_IFMT != S_IFREG
  }
}
