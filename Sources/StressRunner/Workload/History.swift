import Dispatch
import Synchronization

/// The calls of a trial with the epochs of their beginnings and ends, for the oracles that need
/// them.
///
/// An epoch is a value of one counter: a call whose end has a smaller epoch than another's
/// beginning had completed before it.
///
/// `@unchecked Sendable`: `kept` and `horizon` are accessed only between `wait` and `signal` of the
/// semaphore; of an explored workload, between two calls that are controlled, where one thread runs
/// at a time.
final class History: @unchecked Sendable {
  /// One completed call.
  struct Call: Sendable {
    /// The kind of call.
    var kind: Operation.Kind
    /// The key.
    var key: Int
    /// The value that was stored or read, by its number among the key's values; `nil` for no value.
    var value: Int?
    /// The epoch before it was made.
    var began: Int
    /// The epoch after it had completed.
    var ended: Int
    /// The epochs between which other calls overtake it; empty if it was not held up.
    var heldUp: Range<Int>

    /// Describes a call, by default one that is held up from its beginning to its end.
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

  /// The most calls that are kept. Beyond it, the oracles judge only the reads that had ended
  /// before the first call that is not kept began. A script makes fewer.
  private static let mostCalls = 500_000

  // Not `Synchronization.Mutex`, for which ThreadSanitizer reports false races.
  private let semaphore = DispatchSemaphore(value: 1)
  private var kept: [Call] = []
  /// When the first call that is not kept began.
  private var horizon = Int.max
  private let clock = Atomic<Int>(0)
  private let isExplored: Bool
  private let decides: Bool

  /// An empty history.
  ///
  /// - Parameters:
  ///   - isExplored: Whether the orders of the workload are explored.
  ///   - decides: Whether an oracle judges by the epochs.
  init(isExplored: Bool = false, decides: Bool = true) {
    self.isExplored = isExplored
    self.decides = decides
  }

  /// Returns the next epoch. Sequentially consistent: the epochs are one order of all threads.
  ///
  /// Of an explored workload whose verdict depends on the epochs, their order must be explored as
  /// well: the explorer takes an atomic for no step, and the semaphore for one.
  func now() -> Int {
    let isStep = isExplored && decides
    if isStep { semaphore.wait() }
    defer { if isStep { semaphore.signal() } }
    return clock.add(1, ordering: .sequentiallyConsistent).newValue
  }

  /// Keeps a call.
  func note(_ call: Call) {
    // A lock here would only multiply the orders.
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
