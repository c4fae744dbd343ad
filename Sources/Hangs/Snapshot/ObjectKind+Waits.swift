extension WaitSnapshot.ObjectKind {
  /// True if a release by the object's holder ends the waits for it.
  package var isLock: Bool {
    switch self {
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock: true
    default: false
    }
  }

  /// True if a signal from another thread ends the wait, not a release by the holder.
  package var isSignal: Bool {
    switch self {
    case .semaphore, .group, .condition, .futex, .workItem, .continuation, .stream: true
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock, .queue, .thread, .task,
      .taskGroup, .actor:
      false
    }
  }
}
