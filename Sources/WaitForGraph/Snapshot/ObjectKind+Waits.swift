extension WaitSnapshot.ObjectKind {
  /// Whether the thread that holds such an object ends the waits for it by releasing it.
  package var isLock: Bool {
    switch self {
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock: true
    default: false
    }
  }

  /// Whether another thread's call ends the wait, and not the release of something that is held.
  package var isSignal: Bool {
    switch self {
    case .semaphore, .group, .condition, .futex, .workItem, .continuation, .stream: true
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .queue, .thread, .task,
      .taskGroup, .actor:
      false
    }
  }
}
