#if os(Linux)
// `timespec` may come from its headers.
internal import CMarks
internal import Glibc
internal import SectionTable

extension Platform {
  /// The name of a living thread of this process; `nil` if it has no name of its own.
  static func threadName(_ thread: UInt) -> String? {
    if thread == UInt(getpid()) { return "main thread" }
    guard let name = firstLine(of: "/proc/self/task/\(thread)/comm"), !name.isEmpty else {
      return nil
    }
    // A thread without a name of its own has the name of the process.
    return name == firstLine(of: "/proc/self/comm") ? nil : inFull(name)
  }

  /// True if a thread with this name is a Dispatch worker of the root queue with this label.
  static func isWorker(named name: String, ofRootQueue label: String) -> Bool {
    name.hasPrefix("…") ? label.hasSuffix(name.dropFirst()) : label == name
  }

  /// libdispatch names its workers after their root queue's label, and the system keeps the last 15
  /// characters. Returns the whole label if it is the only one with this ending; otherwise the
  /// ending with a mark for the cut.
  private static func inFull(_ name: String) -> String {
    let kinds = [
      "maintenance", "background", "utility", "default", "user-initiated", "user-interactive",
    ]
    let labels = kinds.flatMap {
      ["com.apple.root.\($0)-qos", "com.apple.root.\($0)-qos.overcommit"]
    }
    let matching = labels.filter { name.utf8.count == 15 && $0.hasSuffix(name) }
    return matching.count > 1 ? "…\(name)" : matching.first ?? name
  }

  static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

  /// Distinguishes this executable from other builds, by its size and time.
  static var executableIdentity: String { identity(ofFile: "/proc/self/exe") ?? "unknown" }

  static func firstLine(of path: String) -> String? {
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
