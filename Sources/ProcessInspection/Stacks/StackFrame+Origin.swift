import CInterlockEvents
package import Interlock

extension StackFrame {
  /// The first functions of the threads of libdispatch's pools.
  private static let workerFunctions = ["_dispatch_worker_thread", "_dispatch_root_queue_drain"]
  /// Functions of the C library, the Swift runtime and Foundation that wait for a lock.
  private static let lockFunctions = [
    "pthread_mutex_lock", "__lll_lock_wait", "lll_mutex_lock", "pthread_rwlock",
    "_MutexHandle", "NSLock.lock", "NSRecursiveLock.lock", "os_unfair_lock",
  ]

  /// Whether the frame belongs to the C library or to libdispatch. A thread with only such frames
  /// runs no code of the user.
  package var isPoolMachinery: Bool {
    if let image {
      let names = ["libc.so", "libc-", "libpthread", "ld-linux", "libdispatch", "[vdso]"]
      if names.contains(where: image.hasPrefix) { return true }
    }
    // The interposed calls come before the libraries' own.
    if ownPart == .interposition { return true }
    // If the libraries are linked into the executable, only the name shows it.
    guard let function else { return false }
    return function.hasPrefix("_dispatch_") || function.hasPrefix("dispatch_")
      || function.hasPrefix("__DISPATCH") || function.hasPrefix("__pthread")
      || function == "start_thread" || function.hasPrefix("sem_") || function.hasPrefix("clone")
      // ThreadSanitizer's own, which come before the calls that it intercepts.
      || function.hasPrefix("__interceptor_") || function.hasPrefix("__tsan")
  }

  /// Whether the compiler made the function: a thunk, or code without a file. The frames around it
  /// show to which code it belongs.
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

  /// The end of the names of accessors for global and static variables.
  package static let accessorSuffix = ".unsafeMutableAddressor"

  /// Whether the frame belongs to the system, the runtime, a library of the toolchain, or the
  /// harness.
  package var isSystem: Bool {
    if isPoolMachinery || isCompilers { return true }
    if let image, interlock_events_is_system_library(image) { return true }
    if ownPart == .inspection || ownPart == .runner { return true }
    guard let function else { return false }
    // Foundation's `withLock` is compiled into the code that calls it, as a function of its own in
    // debug builds.
    return function.hasPrefix("swift_") || function.hasPrefix("_swift_")
      || function.contains("NSLocking.withLock")
      || function.contains(Self.accessorSuffix)
  }

  /// Whether the frame belongs to the runner: a driver that waits for a call to complete, or its
  /// caller.
  package var isRunners: Bool { ownPart == .runner }

  /// The part of Interlock to which the frame's file belongs; `nil` for a user's or unknown file.
  package var ownPart: OwnCode.Part? { file.flatMap(OwnCode.part(ofFile:)) }

  /// Whether a thread with this frame belongs to one of libdispatch's pools.
  package var isPoolWorker: Bool { names(oneOf: Self.workerFunctions) }

  /// Whether a thread with this frame runs a Swift task.
  package var isTaskJob: Bool {
    names(oneOf: ["swift_job_run", "runJobInEstablishedExecutorContext", "__swift_run_job"])
  }

  /// Whether a thread whose innermost frame is this one waits for a lock.
  package var isLockWait: Bool { names(oneOf: Self.lockFunctions) }

  private func names(oneOf parts: [String]) -> Bool {
    guard let function else { return false }
    return parts.contains { function.contains($0) }
  }
}
