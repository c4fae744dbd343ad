import Foundation
import StressRunner

/// Reads a regular file line by line, with bounds.
struct LineReader {
  private let file: FileHandle
  private let path: String
  private let longest: Int
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  /// The number of the line that was returned last, from 1.
  private(set) var number = 0
  /// Where the next line begins, in bytes.
  private(set) var offset = 0

  init(_ path: String, most: Int, longest: Int) throws(ScenarioError) {
    self.path = path
    self.longest = longest
    func fault(_ message: String) -> ScenarioError { ScenarioError(path: path, message: message) }
    // Without blocking: a pipe would wait for a writer.
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

  /// The next line that has its end, without it; `nil` at the end of the file.
  mutating func next() throws(ScenarioError) -> [UInt8]? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        let line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        offset += end + 1
        number += 1
        return line
      }
      searched = buffer.count
      if isAtEnd { return nil }
      guard buffer.count <= longest else {
        throw ScenarioError(
          path: path, line: number + 1, message: "is longer than \(longest) bytes")
      }
      guard let chunk = try? file.read(upToCount: 1 << 18), !chunk.isEmpty else {
        isAtEnd = true
        continue
      }
      buffer += chunk
    }
  }
}
