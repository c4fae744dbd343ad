#if os(Linux)
internal import Glibc

extension Platform {
  /// The name of a living thread of this process; `nil` where it has none of its own.
  static func threadName(_ thread: UInt) -> String? {
    if thread == UInt(getpid()) { return "main thread" }
    guard let name = firstLine(of: "/proc/self/task/\(thread)/comm"), !name.isEmpty else {
      return nil
    }
    // A thread that nobody named has the name of the process.
    return name == firstLine(of: "/proc/self/comm") ? nil : name
  }

  /// Whether a thread of this name is one of Dispatch's workers for the root queue of this label:
  /// libdispatch names them by the label's last 15 characters.
  static func isWorker(named name: String, ofRootQueue label: String) -> Bool {
    label.hasSuffix(name)
  }

  private static func firstLine(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      let line = buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }
      return String(decoding: line, as: UTF8.self)
    }
  }
}
#endif
