import Foundation
import Interlock
import StressRunner

/// A cache of two layers whose read fills the upper layer from the lower one.
///
/// `@unchecked Sendable`: the layers are accessed under `lock` only.
final class TwoLayers: Subject, @unchecked Sendable {
  enum Design {
    /// The read fills the upper layer with the value that it found, even if a newer one was stored.
    case stale
    /// The read fills the upper layer only if no call has stored meanwhile.
    case versioned
    /// One lock for the whole read, so that no call stores meanwhile.
    case exclusive
  }

  private let design: Design
  private let lock = NSRecursiveLock()
  private var upper: [String: [UInt8]] = [:]
  private var lower: [String: [UInt8]] = [:]
  private var generation = 0

  init(_ design: Design) { self.design = design }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool {
    switch kind {
    case .get, .set: true
    case .action(let name): name == "forget-upper" || name == "never-answer"
    default: false
    }
  }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    switch operation.kind {
    case .get:
      if design == .exclusive { lock.lock() }
      defer { if design == .exclusive { lock.unlock() } }
      completion(.value(read(operation.key)))
    case .action("forget-upper"):
      lock.withLock { upper = [:] }
      completion(.done)
    case .action:
      break
    default:
      lock.withLock {
        generation += 1
        upper[operation.key] = operation.value
        lower[operation.key] = operation.value
      }
      completion(.done)
    }
  }

  private func read(_ key: String) -> [UInt8]? {
    if let value = lock.withLock({ upper[key] }) { return value }
    let (value, seen) = lock.withLock { (lower[key], generation) }
    SYNC_POINT("twoLayers.get.afterLowerRead")
    lock.withLock {
      if design != .versioned || generation == seen { upper[key] = value }
    }
    return value
  }

  func finalState() -> FinalState? {
    lock.withLock {
      var state = FinalState(count: lower.count, entries: lower.mapValues(\.count), values: lower)
      state.layers = ["the upper layer": upper, "the lower layer": lower]
      return state
    }
  }
}
