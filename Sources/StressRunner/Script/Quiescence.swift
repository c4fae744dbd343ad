import Foundation
import ProcessInspection

/// Tells when nothing moves in this process any more, and nothing will by itself.
///
/// By the system's own account of the threads, so that a busy machine is no reason: whoever waits
/// for a processor is not asleep.
struct Quiescence {
  /// So many looks in a row must find all asleep, none having been woken in between.
  private static let looks = 10
  /// And so many where a timer is set that goes off within a second: the subject's, or that by
  /// which Dispatch gives a pool whose threads all wait one more.
  private static let looksBesideTimer = 120
  /// The time between two looks; seconds.
  static let lookSeconds = 0.01

  /// Threads that do not count: the one that looks, and a sanitizer's.
  private let ignored: Set<Int>
  private var last: [Int: Int] = [:]
  private var quietLooks = 0

  init(ignoring ignored: Set<Int>) {
    self.ignored = ignored
  }

  /// Looks once; returns whether nothing has moved for long enough.
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

  /// Whether a thread that sleeps will go on without being woken by another. One in a futex with a
  /// timeout is taken for an idle worker of a pool, which is what nearly all of them are.
  private func wakesByItself(_ thread: Platform.Thread) -> Bool {
    switch Platform.wait(of: thread.id, in: getpid()) {
    case .forever, .unknown, .timedFutex: false
    case .wakesByItself: true
    case .listens: Platform.listensOutside(getpid(), ignoring: TrialHost.ownDescriptors)
    }
  }
}
