import Foundation
import StressRunner

/// Reads a regular file, or bytes in place of its content, line by line, with size limits.
struct LineReader {
  /// The file; `nil` for bytes.
  private let file: FileHandle?
  private let path: String
  private let longest: Int
  private var buffer: [UInt8] = []
  /// The index in the buffer where the next line begins.
  private var start = 0
  private var isAtEnd = false
  /// The number of the last returned line, from 1.
  private(set) var number = 0
  /// The offset of the next line, in bytes.
  private(set) var offset = 0

  init(_ path: String, most: Int, longest: Int) throws(ScenarioError) {
    self.path = path
    self.longest = longest
    func fault(_ message: String) -> ScenarioError { ScenarioError(path: path, message: message) }
    // Open without blocking: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw fault("cannot be read: \(String(cString: strerror(errno)))")
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw fault("is not a regular file")
    }
    guard status.st_size <= most else {
      throw fault("has \(status.st_size) bytes, expected at most \(most)")
    }
  }

  init(_ bytes: [UInt8], path: String, longest: Int) {
    file = nil
    self.path = path
    self.longest = longest
    buffer = bytes
    isAtEnd = true
  }

  /// True if bytes follow the last returned line. At the end of the file, they are a line without
  /// its line break.
  var hasRest: Bool { start < buffer.count }

  /// A line and its number.
  struct Line: Sendable {
    let number: Int
    let bytes: [UInt8]
  }

  /// The next lines, up to about this many bytes; empty at the end of the file.
  ///
  /// - Throws: An error, after the lines before it have been returned.
  mutating func next(bytes: Int) throws(ScenarioError) -> [Line] {
    var lines: [Line] = []
    let end = offset + bytes
    while offset < end {
      do throws(ScenarioError) {
        guard let line = try next() else { break }
        lines.append(Line(number: number, bytes: line))
      } catch {
        if lines.isEmpty { throw error }
        break
      }
    }
    return lines
  }

  /// The next complete line, without its line break; `nil` at the end of the file.
  mutating func next() throws(ScenarioError) -> [UInt8]? {
    var searched = start
    while true {
      if let end = lineBreak(from: searched) {
        let line = Array(buffer[start..<end])
        offset += end + 1 - start
        start = end + 1
        number += 1
        return line
      }
      if isAtEnd { return nil }
      // Do this once for each chunk, not for each line: a chunk has thousands of lines.
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      guard buffer.count <= longest else {
        throw ScenarioError(
          path: path, line: number + 1, message: "is longer than \(longest) bytes")
      }
      guard let chunk = try? file?.read(upToCount: 1 << 18), !chunk.isEmpty else {
        isAtEnd = true
        continue
      }
      buffer += chunk
    }
  }

  /// The index of the first line break from an index on. Uses `memchr`: a record may have
  /// gigabytes.
  private func lineBreak(from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress, start < bytes.count else { return nil }
      let found = memchr(first + start, 0x0A, bytes.count - start)
      return found.map { first.distance(to: UnsafeRawPointer($0)) }
    }
  }
}
