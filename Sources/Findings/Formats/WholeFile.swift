import Foundation

/// Replaces a file atomically by a new one with this text, so that no reader sees half of it. A
/// path that is not a regular file, such as a pipe, is written directly.
///
/// - Returns: Why it could not be written; `nil` on success.
package func replaceFile(_ path: String, by text: String) -> String? {
  func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
  let bytes = Array(text.utf8)
  let isPipe = isStream(path)
  let url = URL(fileURLWithPath: path)
  let draft =
    isPipe
    ? path : url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).\(getpid())"
  let flags = isPipe ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
  let descriptor = open(draft, flags, 0o644)
  guard descriptor >= 0 else { return reason(errno) }
  var failure = writeWhole(bytes, to: descriptor)
  // On a network file system, `close` may be the first call to report a full disk.
  if close(descriptor) != 0, failure == nil { failure = errno }
  if isPipe { return failure.map(reason) }
  if failure == nil, rename(draft, path) != 0 { failure = errno }
  if failure != nil { unlink(draft) }
  return failure.map(reason)
}

/// Writes all bytes to a descriptor.
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

/// Appends a text to a file, which is created if it is missing.
///
/// - Returns: Why it could not be written; `nil` on success.
package func appendText(_ text: String, to path: String) -> String? {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return String(cString: strerror(errno)) }
  let reason = writeWhole(Array(text.utf8), to: descriptor)
  return (close(descriptor) == 0 ? reason : reason ?? errno).map { String(cString: strerror($0)) }
}

/// True if two paths lead to the same regular file, existing or not: then the text written last
/// would replace the other. Two texts can be written to a stream, such as `/dev/null`.
package func isOneFile(_ first: String, _ second: String) -> Bool {
  canonicalPath(first) == canonicalPath(second) && !isStream(first)
}

/// True if a path leads to something that exists and is not a regular file.
package func isStream(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}

/// The path of a file without symbolic links. The file need not exist.
package func canonicalPath(_ path: String) -> String {
  func real(_ path: String) -> String? {
    let found = realpath(path, nil)
    defer { free(found) }
    return found.map { String(cString: $0) }
  }
  if let path = real(path) { return path }
  let url = URL(fileURLWithPath: path).standardizedFileURL
  let folder = url.deletingLastPathComponent().path
  return (real(folder) ?? folder) + "/" + url.lastPathComponent
}
