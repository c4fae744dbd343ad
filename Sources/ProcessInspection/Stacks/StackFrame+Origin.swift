import CInterlockEvents
import Interlock

extension StackFrame {
  /// The threads of libdispatch's pools begin here.
  private static let workerFunctions = ["_dispatch_worker_thread", "_dispatch_root_queue_drain"]
  /// Waiting for a lock, by the C library, the Swift runtime or Foundation.
  private static let lockFunctions = [
    "pthread_mutex_lock", "__lll_lock_wait", "lll_mutex_lock", "pthread_rwlock",
    "_MutexHandle", "NSLock.lock", "NSRecursiveLock.lock", "os_unfair_lock",
  ]

  /// Whether the frame is the C library's or libdispatch's: a thread that has no other runs
  /// nobody's code.
  package var isPoolMachinery: Bool {
    if let image {
      let names = ["libc.so", "libc-", "libpthread", "ld-linux", "libdispatch", "[vdso]"]
      if names.contains(where: image.hasPrefix) { return true }
    }
    // The calls that are defined anew stand before the libraries' own.
    if file?.contains("Sources/CInterlockEvents/") ?? false { return true }
    // Where the libraries are linked into the executable, the name alone tells.
    guard let function else { return false }
    return function.hasPrefix("_dispatch_") || function.hasPrefix("dispatch_")
      || function.hasPrefix("__DISPATCH") || function.hasPrefix("__pthread")
      || function == "start_thread" || function.hasPrefix("sem_") || function.hasPrefix("clone")
      // ThreadSanitizer's, which stand before the calls that it watches.
      || function.hasPrefix("__interceptor_") || function.hasPrefix("__tsan")
  }

  /// Whether the compiler made the function: a thunk, or code that stands in no file. Whose it is,
  /// the frames around it tell.
  package var isCompilers: Bool {
    if file == "<compiler-generated>" || file?.hasSuffix("/<compiler-generated>") ?? false {
      return true
    }
    if file == nil && line == 0 { return true }
    guard let function else { return false }
    return ["reabstraction thunk ", "partial apply ", "thunk for ", "@objc thunk"].contains {
      function.hasPrefix($0)
    }
  }

  /// What the compiler calls its accessors of global and static variables.
  package static let accessorSuffix = ".unsafeMutableAddressor"

  /// Whether the frame is the system's, the runtime's, a library's of the toolchain, or the
  /// runner's.
  package var isSystem: Bool {
    if isPoolMachinery || isCompilers { return true }
    if let image, interlock_events_is_system_library(image) { return true }
    // Debug information has the C files by their path in the package.
    if let file {
      let parts = [
        "Sources/StressRunner/", "Sources/CInterlockEvents/", "Sources/ProcessInspection/",
        "Sources/WaitForGraph/", "Sources/HangDetection/", "Sources/CInterlockPrediction/",
        "Sources/Prediction/",
      ]
      if parts.contains(where: file.contains) { return true }
    }
    guard let function else { return false }
    // Foundation's `withLock` is compiled into the code that calls it, as a function of its own in
    // debug builds.
    return function.hasPrefix("swift_") || function.contains("NSLocking.withLock")
      || function.contains(Self.accessorSuffix)
  }

  /// Whether the frame is the runner's own: a driver that waits for a call to complete, or what
  /// called it.
  package var isRunners: Bool { file?.contains("/Sources/StressRunner/") ?? false }

  /// Whether a thread with this frame belongs to one of libdispatch's pools.
  package var isPoolWorker: Bool { names(oneOf: Self.workerFunctions) }

  /// Whether a thread with this frame runs a Swift task.
  package var isTaskJob: Bool {
    names(oneOf: ["swift_job_run", "runJobInEstablishedExecutorContext", "__swift_run_job"])
  }

  /// Whether a thread with this frame innermost waits for a lock that another holds.
  package var isLockWait: Bool { names(oneOf: Self.lockFunctions) }

  private func names(oneOf parts: [String]) -> Bool {
    guard let function else { return false }
    return parts.contains { function.contains($0) }
  }
}
