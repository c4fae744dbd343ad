import Foundation

/// A destination of text.
package protocol TextSink: AnyObject {
  /// The terminal's columns; `nil` if there is no terminal, or one that cannot move its cursor.
  var width: Int? { get }
  /// The terminal's rows; `nil` if `width` is `nil`.
  var height: Int? { get }
  /// Why a write failed; `nil` if none did, or the reader has closed its end.
  var failure: String? { get }
  /// Writes a text without buffering.
  func write(_ text: String)
}

/// A file descriptor: standard output or standard error.
///
/// Used from one thread. After the reader has closed its end (EPIPE), all text is dropped, which is
/// not an error.
package final class DescriptorSink: TextSink {
  private let descriptor: Int32
  private let canMoveCursor: Bool
  private var isClosed = false
  /// Why a write failed; `nil` if none did.
  package private(set) var failure: String?

  /// Creates a sink for an open descriptor, which stays open.
  package init(_ descriptor: Int32, environment: [String: String]) {
    self.descriptor = descriptor
    canMoveCursor = isatty(descriptor) == 1 && environment["TERM"] ?? "dumb" != "dumb"
  }

  /// The terminal's columns, queried each time, because windows change.
  package var width: Int? { windowSize { $0.ws_col > 0 ? Int($0.ws_col) : 80 } }

  /// The terminal's rows, queried each time.
  package var height: Int? { windowSize { $0.ws_row > 0 ? Int($0.ws_row) : 24 } }

  /// A dimension of the window; 0 if the terminal does not report it.
  private func windowSize(_ side: (winsize) -> Int) -> Int? {
    guard canMoveCursor else { return nil }
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? side(size) : side(winsize())
  }

  /// Writes all of a text, or drops it after a failure.
  package func write(_ text: String) {
    guard !isClosed else { return }
    if let reason = writeAll(Array(text.utf8), to: descriptor, at: nil) {
      isClosed = true
      if reason != EPIPE { failure = String(cString: strerror(reason)) }
    }
  }
}

/// Writes all bytes, at the end or at an offset.
///
/// - Returns: The error number; `nil` if all bytes were written.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, at offset: Int?) -> Int32? {
  var done = 0
  while done < bytes.count {
    let written = bytes.withUnsafeBytes { buffer in
      let rest = buffer.baseAddress?.advanced(by: done)
      guard let offset else { return Foundation.write(descriptor, rest, bytes.count - done) }
      return pwrite(descriptor, rest, bytes.count - done, off_t(offset + done))
    }
    if written >= 0 {
      done += written
    } else if errno == EAGAIN {
      // Another process has made the descriptor non-blocking: wait until it accepts more.
      var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&poller, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}
