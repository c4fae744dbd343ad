import CPriority
import Foundation

/// Threads that share one processor; those of low priority run only when no other wants it.
enum PriorityThreads {
  #if os(Linux)
  /// The calls that this system lacks to have such threads; `nil` if it lacks none.
  static var lacking: String? { nil }
  #else
  /// The calls that this system lacks to have such threads; `nil` if it lacks none.
  static var lacking: String? { "sched_setaffinity and SCHED_IDLE, which only Linux has" }
  #endif

  /// Starts a thread on the one processor.
  ///
  /// - Parameters:
  ///   - isLow: Whether the thread runs only when no other wants that processor.
  ///   - body: What it does.
  static func start(isLow: Bool, _ body: @escaping @Sendable () -> Void) {
    Thread {
      guard known_bugs_run_on_first_processor() else { refuse("put a thread on one processor") }
      if isLow, !known_bugs_run_when_idle() { refuse("lower a thread to SCHED_IDLE") }
      body()
    }.start()
  }

  /// The processor time that the calling thread has used since its start; milliseconds.
  static var processorMilliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private static func refuse(_ what: String) -> Never {
    fatalError("interlock: the system refused to \(what): \(String(cString: strerror(errno)))")
  }
}
