import Synchronization

/// A flag whose operations are plain instructions on x86: only the types in symbols show them.
package final class SynchronizationFlag: Sendable {
  private let atomic = Atomic<Bool>(false)

  package init() {}

  package func set() { atomic.store(true, ordering: .releasing) }

  package var isSet: Bool { atomic.load(ordering: .acquiring) }
}
