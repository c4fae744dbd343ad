import Foundation

/// Replaces a file by a new one with this text, so that a reader never sees half of it. Anything
/// that is not a regular file, such as a pipe, is written directly.
///
/// - Returns: The reason if it could not be written; else `nil`.
package func replaceFile(_ path: String, by text: String) -> String? {
  func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
  let bytes = Array(text.utf8)
  var status = stat()
  let isStream = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  let url = URL(fileURLWithPath: path)
  let draft =
    isStream
    ? path : url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).\(getpid())"
  let flags = isStream ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
  let descriptor = open(draft, flags, 0o644)
  guard descriptor >= 0 else { return reason(errno) }
  var failure = writeWhole(bytes, to: descriptor)
  // A network file system may report a full disk only here.
  if close(descriptor) != 0, failure == nil { failure = errno }
  if isStream { return failure.map(reason) }
  if failure == nil, rename(draft, path) != 0 { failure = errno }
  if failure != nil { unlink(draft) }
  return failure.map(reason)
}

/// Writes all of some bytes.
///
/// - Returns: The error number; `nil` if all bytes were written.
package func writeWhole(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var done = 0
  while done < bytes.count {
    let written = bytes.withUnsafeBytes {
      write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
    }
    if written >= 0 {
      done += written
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}
