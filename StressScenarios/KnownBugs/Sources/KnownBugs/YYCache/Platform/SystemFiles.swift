#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files and folders by the system's calls, with their error numbers.
enum SystemFiles {
  /// The error of a call on a file.
  struct Failure: Error {
    /// `ENOSPC`, `EACCES`, …
    var number: Int32

    /// The system's text for it.
    var message: String { String(cString: strerror(number)) }
  }

  /// Writes a file in place: a concurrent reader may see none of it, or a part.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - path: The file, which is made, or truncated first.
  ///   - opened: Called when the file exists and is empty.
  /// - Throws: If the file cannot be made, or not be written whole.
  static func write(_ bytes: [UInt8], to path: String, opened: () -> Void = {}) throws(Failure) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Failure(number: errno) }
    opened()
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        #if canImport(Darwin)
        Darwin.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
        #elseif canImport(Musl)
        Musl.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
        #else
        Glibc.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
        #endif
      }
      if count < 0 {
        let number = errno
        if number == EINTR { continue }
        _ = close(file)
        throw Failure(number: number)
      }
      done += count
    }
    // Some file systems report only now that the disk is full.
    guard close(file) == 0 else { throw Failure(number: errno) }
  }

  /// A file's whole content; `nil` if there is no such file, or it cannot be read.
  static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var isWhole = true
    // One byte more than the file has, so that the read at its end needs no second buffer.
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size) + 1) { buffer, count in
      while count < buffer.count {
        let more = readSome(file, buffer, from: count)
        if more == 0 { return }
        if more > 0 {
          count += more
        } else if errno != EINTR {
          isWhole = false
          return
        }
      }
    }
    return isWhole ? bytes : nil
  }

  private static func readSome(
    _ file: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>, from offset: Int
  ) -> Int {
    let start = buffer.baseAddress?.advanced(by: offset)
    #if canImport(Darwin)
    return Darwin.read(file, start, buffer.count - offset)
    #elseif canImport(Musl)
    return Musl.read(file, start, buffer.count - offset)
    #else
    return Glibc.read(file, start, buffer.count - offset)
    #endif
  }

  /// Removes a file; a missing one counts as removed.
  @discardableResult
  static func remove(_ path: String) -> Bool {
    unlink(path) == 0 || errno == ENOENT
  }

  /// Removes an empty folder.
  static func removeFolder(_ path: String) {
    _ = rmdir(path)
  }

  /// Moves a file or folder on the same disk.
  static func move(_ path: String, to other: String) -> Bool {
    rename(path, other) == 0
  }

  /// Makes a folder and its parent folders.
  static func makeFolder(_ path: String) throws(Failure) {
    if mkdir(path, 0o755) == 0 { return }
    let number = errno
    if number == EEXIST {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure(number: ENOTDIR)
      }
      return
    }
    guard number == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw Failure(number: number)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw Failure(number: errno) }
  }

  /// The names in a folder; none if it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The path without links, `.` and `..`; `nil` if nothing exists at it.
  static func canonical(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The free bytes on the disk that a path is on; `nil` if the system does not say.
  static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }

  /// An environment variable; `nil` if it is unset or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
