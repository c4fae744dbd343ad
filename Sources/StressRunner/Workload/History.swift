import Dispatch
import Synchronization

/// The calls of a trial with the epochs of their beginnings and ends, for oracles that need them.
///
/// An epoch is a value of one counter. If the end of a call has a smaller epoch than another call's
/// beginning, the first call had completed before.
///
/// `@unchecked Sendable`: `kept` and `horizon` are accessed only between `wait` and `signal` of the
/// semaphore. In an explored workload they are accessed between two controlled calls, where only
/// one thread runs at a time.
final class History: @unchecked Sendable {
  /// One completed call.
  struct Call: Sendable {
    /// The kind of call.
    var kind: Operation.Kind
    /// The key.
    var key: Int
    /// The number of the stored or read value among the key's values; `nil` for no value.
    var value: Int?
    /// The epoch before the call was made.
    var began: Int
    /// The epoch after the call had completed.
    var ended: Int
    /// The epochs during which other calls overtake this one; empty if it was not held up.
    var heldUp: Range<Int>

    /// Describes a call. By default it is held up from its beginning to its end.
    init(
      kind: Operation.Kind, key: Int, value: Int?, began: Int, ended: Int, heldUp: Range<Int>? = nil
    ) {
      self.kind = kind
      self.key = key
      self.value = value
      self.began = began
      self.ended = ended
      self.heldUp = heldUp ?? began..<ended
    }
  }

  /// The most calls that are kept. If there are more, the oracles judge only reads that had ended
  /// before the beginning of the first call that is not kept. A script makes fewer calls.
  private static let mostCalls = 500_000

  // `Synchronization.Mutex` cannot be used: ThreadSanitizer reports false races for it.
  private let semaphore = DispatchSemaphore(value: 1)
  private var kept: [Call] = []
  /// The epoch at which the first call that is not kept began.
  private var horizon = Int.max
  private let clock = Atomic<Int>(0)
  private let isExplored: Bool
  private let decides: Bool

  /// Creates an empty history.
  ///
  /// - Parameters:
  ///   - isExplored: True if the orders of the workload are explored.
  ///   - decides: True if an oracle judges by the epochs.
  init(isExplored: Bool = false, decides: Bool = true) {
    self.isExplored = isExplored
    self.decides = decides
  }

  /// Returns the next epoch. Sequentially consistent: all threads see one order of epochs.
  ///
  /// If the verdict of an explored workload depends on the epochs, their order must be explored
  /// too. The semaphore makes them steps, which atomics are not for the explorer.
  func now() -> Int {
    let isStep = isExplored && decides
    if isStep { semaphore.wait() }
    defer { if isStep { semaphore.signal() } }
    return clock.add(1, ordering: .sequentiallyConsistent).newValue
  }

  /// Stores a call.
  func note(_ call: Call) {
    // In an exploration, a lock here would only multiply the orders.
    if !isExplored { semaphore.wait() }
    defer { if !isExplored { semaphore.signal() } }
    if kept.count < Self.mostCalls {
      kept.append(call)
    } else {
      horizon = min(horizon, call.began)
    }
  }

  /// The calls so far. For each read, every call that had begun by its end is included.
  var calls: [Call] {
    semaphore.wait()
    defer { semaphore.signal() }
    return horizon == .max ? kept : kept.filter { !$0.kind.reads || $0.ended < horizon }
  }
}
