import CInterlock
import Foundation

/// Threads that share one processor, of which some run only where no other wants it.
enum PriorityThreads {
  #if os(Linux)
  /// What this system lacks to have such threads; `nil` where it lacks nothing.
  static var lacking: String? { nil }
  #else
  /// What this system lacks to have such threads; `nil` where it lacks nothing.
  static var lacking: String? { "sched_setaffinity and SCHED_IDLE, which only Linux has" }
  #endif

  /// The number of this process's one processor.
  ///
  /// One that no other trial of this run has: readers who spin there would bar the way of its writer as well.
  /// Where there is none left, trials share the first.
  private static let processor: Int = {
    let folder = FileManager.default.temporaryDirectory
    let count = Int(interlock_processor_count())
    for number in 0..<count {
      let path = folder.appendingPathComponent("interlock-processor-\(number)").path
      // Open until the process ends, and so is the claim.
      let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      if file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 { return number }
      if file >= 0 { close(file) }
    }
    return 0
  }()

  /// Starts a thread on the one processor.
  ///
  /// - Parameters:
  ///   - isLow: Whether it runs only where no other wants that processor.
  ///   - body: What it does.
  static func start(isLow: Bool, _ body: @escaping @Sendable () -> Void) {
    let number = Int32(processor)
    Thread {
      guard interlock_run_on_processor(number) else { refuse("put a thread on one processor") }
      if isLow, !interlock_run_when_idle() { refuse("lower a thread to SCHED_IDLE") }
      body()
    }.start()
  }

  private static func refuse(_ what: String) -> Never {
    fatalError("interlock: the system refused to \(what): \(String(cString: strerror(errno)))")
  }
}
