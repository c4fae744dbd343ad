#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

// `timespec` may come from its headers.
internal import CMarks
internal import SectionTable

extension Platform {
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Why a file could not be read or written, as the system describes it.
  struct FileFailure: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
    init(errno code: Int32) { reason = String(cString: strerror(code)) }
  }

  /// All bytes of a file; `nil` if there is no such file. Never blocks: a pipe does not count as a
  /// file.
  static func contents(of path: String, atMost most: Int) throws(FileFailure) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw FileFailure(errno: errno)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileFailure(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure("not a file") }
    guard status.st_size <= most else { throw FileFailure("\(status.st_size) bytes are too many") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= most {
      let count = read(file, &chunk, chunk.count)
      if count == 0 { break }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR {
        throw FileFailure(errno: errno)
      }
    }
    return bytes
  }

  /// Replaces a file in one step; the old contents remain if that fails.
  static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
    let temporary = "\(path).\(getpid()).tmp"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FileFailure(errno: errno) }
    var failure: FileFailure?
    var rest = bytes[...]
    while !rest.isEmpty, failure == nil {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        failure = FileFailure(errno: errno)
      }
    }
    // `close` may be the first call to report a full disk.
    if close(file) != 0, failure == nil { failure = FileFailure(errno: errno) }
    if failure == nil, rename(temporary, path) != 0 { failure = FileFailure(errno: errno) }
    if let failure {
      unlink(temporary)
      throw failure
    }
  }

  /// The time of a file's last change, in seconds and nanoseconds.
  static func identity(ofFile path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let changed = modificationTime(status)
    return "\(status.st_size)-\(changed.tv_sec).\(changed.tv_nsec)"
  }

  /// The size, the time of the last change and the inode number of a file; `nil` if it cannot be
  /// read.
  static func status(
    ofFile path: String
  ) -> (size: Int64, seconds: Int64, nanoseconds: Int64, number: UInt64)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let changed = modificationTime(status)
    return (
      Int64(status.st_size), Int64(changed.tv_sec), Int64(changed.tv_nsec), UInt64(status.st_ino)
    )
  }
}
