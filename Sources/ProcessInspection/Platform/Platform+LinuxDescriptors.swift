#if os(Linux)
import Foundation

// The descriptors through which a process waits, from `/proc/<pid>/fd` and `/proc/<pid>/fdinfo`.

extension Platform {
  /// The timers that are set in a process.
  package static func timers(of process: Int32) -> [Timer] {
    descriptors(of: process).compactMap { number, target in
      guard target == "anon_inode:[timerfd]",
        let text = contents(of: "/proc/\(process)/fdinfo/\(number)")
      else { return nil }
      var timer = Timer(descriptor: number, seconds: 0, isMonotonic: false)
      for line in text.split(separator: UInt8(ascii: "\n")) {
        if let clock = value(of: "clockid", in: line) {
          timer.isMonotonic = Self.number(clock) == Int(CLOCK_MONOTONIC)
        } else if let left = value(of: "it_value", in: line) {
          // "(3, 559699796)": seconds and nanoseconds; both are 0 if it is not set.
          let parts = left.dropFirst().split(separator: UInt8(ascii: ","))
          guard parts.count == 2 else { return nil }
          timer.seconds =
            Double(Self.number(parts[0])) + Double(Self.number(parts[1].dropFirst())) / 1e9
        }
      }
      return timer.seconds > 0 ? timer : nil
    }
  }

  /// Whether something outside a process may wake its threads that wait in an epoll: one of its
  /// epolls listens to a socket, a pipe, or another descriptor that is not the process's own.
  package static func listensOutside(_ process: Int32, ignoring ignored: Set<Int>) -> Bool {
    let all = descriptors(of: process)
    // `timers(of:)` handles timers; a signal that was not sent yet wakes no thread.
    let own = ["eventfd", "timerfd", "signalfd", "eventpoll"].map { "anon_inode:[\($0)]" }
    let inside = Set(all.filter { own.contains($0.target) }.map(\.number)).union(ignored)
    return all.contains { number, target in
      guard target == "anon_inode:[eventpoll]",
        let text = contents(of: "/proc/\(process)/fdinfo/\(number)")
      else { return false }
      return text.split(separator: UInt8(ascii: "\n")).contains { line in
        guard let listened = value(of: "tfd", in: line) else { return false }
        return !inside.contains(Self.number(listened))
      }
    }
  }

  /// The descriptors of a process, and what each stands for.
  private static func descriptors(of process: Int32) -> [(number: Int, target: String)] {
    guard let folder = opendir("/proc/\(process)/fd") else { return [] }
    defer { closedir(folder) }
    var found: [(number: Int, target: String)] = []
    var target = [UInt8](repeating: 0, count: 64)
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      guard let first = name.first, first != UInt8(ascii: ".") else { continue }
      let number = number(name[...])
      // Longer targets are paths, which do not matter here.
      let length = readlink("/proc/\(process)/fd/\(number)", &target, target.count)
      guard length > 0 else { continue }
      found.append((number, String(decoding: target[..<length], as: UTF8.self)))
    }
    return found
  }
}
#endif
