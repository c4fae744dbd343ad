import Foundation
import ProcessInspection

/// Decides when every thread of this process is blocked and none will wake up by itself.
///
/// The system's thread states are used, so that a busy machine is not mistaken for a blocked
/// process: a thread that waits for a processor is not asleep.
struct Quiescence {
  /// The number of consecutive samples that must find every thread asleep, without a wake-up in
  /// between.
  private static let looks = 10
  /// The number of samples if a timer expires within a second. The timer may be the subject's, or
  /// the one with which Dispatch grows a pool whose threads are all blocked.
  private static let looksBesideTimer = 120
  /// The time between two samples, in seconds.
  static let lookSeconds = 0.01

  /// The threads to ignore: the sampling thread, and a sanitizer's.
  private let ignored: Set<Int>
  private var last: [Int: Int] = [:]
  private var quietLooks = 0

  init(ignoring ignored: Set<Int>) {
    self.ignored = ignored
  }

  /// Takes one sample. Returns true if every thread has been blocked for long enough.
  mutating func look() -> Bool {
    let process = getpid()
    let threads = Platform.threads(of: process).filter { !ignored.contains($0.id) }
    let switches = Dictionary(
      threads.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first })
    let isQuiet =
      !threads.isEmpty && switches == last && threads.allSatisfy { $0.state == .sleeping }
      && !threads.contains(where: wakesByItself)
    last = switches
    guard isQuiet else {
      quietLooks = 0
      return false
    }
    quietLooks += 1
    guard quietLooks >= Self.looks else { return false }
    let timers = Platform.timers(of: process)
    if timers.contains(where: { !$0.isMonotonic || $0.seconds > 1.05 }) { return false }
    return timers.isEmpty || quietLooks >= Self.looksBesideTimer
  }

  /// True if a sleeping thread will wake up without another thread. A futex wait with a timeout is
  /// taken for that of an idle pool worker, because nearly all of them are.
  private func wakesByItself(_ thread: Platform.Thread) -> Bool {
    switch Platform.wait(of: thread.id, in: getpid()) {
    case .forever, .unknown, .timedFutex: false
    case .wakesByItself, .input: true
    case .listens: Platform.listensOutside(getpid(), ignoring: TrialHost.ownDescriptors)
    }
  }
}
