import Dispatch
import Synchronization

/// An object whose first property is an atomic, and one whose first property is a mutex. Both have
/// one size.
private final class Counter: Sendable {
  let value = Atomic(0)
  let other = 0
}

private final class Guarded: Sendable {
  let value = Mutex(0)
}

/// Has the same size. Unchecked: racy programs leave the uses unordered on purpose.
private final class Switch: @unchecked Sendable {
  var isOn = false
  var count = 0

  @inline(never) func turnOn() { isOn = true }
}

@inline(never) private func useAtomic() {
  let counter = Counter()
  counter.value.store(1, ordering: .releasing)
}

@inline(never) private func useMutex() {
  let guarded = Guarded()
  guarded.value.withLock { $0 += 1 }
}

private func turnOnTwice() {
  let shared = Switch()
  inThreads { _ in shared.turnOn() }
}

extension SwiftPrograms {
  /// Memory that is freed, whose address other objects get.
  static let reused: [String: @Sendable () -> Void] = [
    "recycled_atomic.racy": {
      useAtomic()
      turnOnTwice()
    },
    "recycled_mutex.racy": {
      useMutex()
      turnOnTwice()
    },
  ]
}
