#if os(Linux)
internal import CMarks
internal import Glibc
internal import SectionTable
internal import Synchronization

/// The thread that asks the toolchain for symbols. The toolchain caches an executable's symbols per
/// thread, and takes long to read an executable with debug information.
///
/// Like the locks of the tracker, the thread orders nothing in the user's code.
final class SymbolThread: @unchecked Sendable {
  // Unchecked: `mutex` guards the fields below it, and only one caller enters at a time.
  static let shared = SymbolThread()

  typealias Work = @Sendable () -> [NamedFrame]

  /// The seconds without work after which the thread ends and frees its cache. The limit also tells
  /// a hang report that the thread is not stuck.
  private static let patience = 30
  /// The seconds after which a caller gives up. The work may need a lock of the loader or the
  /// runtime that the caller holds.
  private static let limit = 60

  /// The process that the mutex and the thread belong to. The child of a fork has neither.
  private var process: pid_t = 0
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isRunning = false
  private var work: Work?
  private var isWorking = false
  private var result: [NamedFrame]?
  private let running = Synchronization.Atomic<UInt64>(0)

  private init() {}

  /// The system thread id; `nil` while there is no thread.
  var number: Int? {
    // Relaxed: only the number itself matters.
    let number = running.load(ordering: .relaxed)
    return number == 0 ? nil : Int(number)
  }

  /// Runs `body` on the thread, or on the caller's if the system refuses a thread. Call it from one
  /// thread at a time.
  ///
  /// - Returns: The frames; `nil` if the work takes too long.
  func run(_ body: @escaping Work) -> [NamedFrame]? {
    // The explorer would take the wait for a step of the user's code.
    if ExploredSections.execution != nil { return body() }
    interlock_enter_tracker_lock()
    defer { interlock_leave_tracker_lock() }
    beginInProcess()
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    // A previous caller has given up, and its work is still running.
    if isWorking { return nil }
    if !isRunning {
      isRunning = Platform.startDetached(stackBytes: 8 << 20) { self.serve() }
      guard isRunning else { return body() }
    }
    result = nil
    isWorking = true
    work = body
    pthread_cond_broadcast(changed)
    // Wait in steps of a second: other work in the process then still makes progress, and a hang is
    // judged by that. On a busy machine the work may itself wait for seconds, for a process that
    // reads debug information.
    var left = Self.limit
    while isWorking, left > 0 {
      if !isChanged(before: Self.deadline(after: 1)) { left -= 1 }
    }
    defer { result = nil }
    return result
  }

  private func beginInProcess() {
    let current = getpid()
    guard process != current else { return }
    process = current
    mutex.initialize(to: pthread_mutex_t())
    changed.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    running.store(0, ordering: .relaxed)
    isRunning = false
    isWorking = false
    work = nil
  }

  private func serve() {
    interlock_enter_tracker_lock()
    running.store(interlock_thread_number(), ordering: .relaxed)
    pthread_mutex_lock(mutex)
    while let body = next() {
      pthread_mutex_unlock(mutex)
      let found = body()
      pthread_mutex_lock(mutex)
      result = found
      isWorking = false
      pthread_cond_broadcast(changed)
    }
    LineSymbolizer.shared.withLock { $0.close() }
    isRunning = false
    running.store(0, ordering: .relaxed)
    pthread_mutex_unlock(mutex)
  }

  private func next() -> Work? {
    let deadline = Self.deadline(after: Self.patience)
    while work == nil {
      guard isChanged(before: deadline) else { break }
    }
    defer { work = nil }
    return work
  }

  /// Waits for a change; `false` at the deadline.
  private func isChanged(before deadline: timespec) -> Bool {
    var deadline = deadline
    return pthread_cond_timedwait(changed, mutex, &deadline) != ETIMEDOUT
  }

  private static func deadline(after seconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += seconds
    return time
  }
}
#endif
