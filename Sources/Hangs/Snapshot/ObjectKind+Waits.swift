extension WaitSnapshot.ObjectKind {
  /// Whether the holder of such an object ends the waits for it by a release.
  package var isLock: Bool {
    switch self {
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock: true
    default: false
    }
  }

  /// Whether another thread's signal ends the wait, and not a release by the holder.
  package var isSignal: Bool {
    switch self {
    case .semaphore, .group, .condition, .futex, .workItem, .continuation, .stream: true
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .queue, .thread, .task,
      .taskGroup, .actor:
      false
    }
  }
}
