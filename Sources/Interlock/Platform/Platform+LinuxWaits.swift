#if os(Linux)
internal import CMarks
internal import SectionTable

extension Platform {
  /// True if a thread of this process waits without limit for another thread to wake it, for
  /// example for a lock. False for a thread that only lacks a processor, or sleeps for a time.
  /// `nil` if the system does not tell.
  static func waitsToBeWoken(_ thread: UInt) -> Bool? {
    guard let line = firstLine(of: "/proc/self/task/\(thread)/syscall") else { return nil }
    let fields = line.split(separator: " ")
    guard let number = fields.first.flatMap({ Int($0) }), fields.count >= 7 else { return false }
    let arguments = fields[1...6].map { UInt64($0.dropFirst(2), radix: 16) ?? 0 }
    return interlock_is_futex(number)
      && interlock_classify_wait(number, arguments) == INTERLOCK_WAIT_FOREVER
  }
}
#endif
