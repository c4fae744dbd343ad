import Dispatch
import Synchronization

/// The calls of a trial with the moments of their beginnings and ends, for oracles that need them.
///
/// A moment is a number from one counter: a call whose end has a smaller one than another's
/// beginning had completed before it.
///
/// `@unchecked Sendable`: `calls` is only touched between `wait` and `signal` of the semaphore.
final class History: @unchecked Sendable {
  /// One completed call.
  struct Call: Sendable {
    /// What was called.
    var kind: Operation.Kind
    /// On which key.
    var key: Int
    /// What was stored or read: a number of the key's values; `nil` for no value.
    var value: Int?
    /// The moment before it was made.
    var began: Int
    /// The moment after it had completed.
    var ended: Int
  }

  /// More calls than this are not kept: the oracles judge the reads that had ended before the first
  /// that is not kept began. A script makes fewer.
  private static let mostCalls = 500_000

  // Not `Synchronization.Mutex`, which ThreadSanitizer reports false races for.
  private let semaphore = DispatchSemaphore(value: 1)
  private var kept: [Call] = []
  /// When the first call that is not kept began.
  private var horizon = Int.max
  private let clock = Atomic<Int>(0)

  /// The next moment. Sequentially consistent: the moments are one order of all threads.
  func now() -> Int { clock.add(1, ordering: .sequentiallyConsistent).newValue }

  /// Keeps a call.
  func note(_ call: Call) {
    semaphore.wait()
    defer { semaphore.signal() }
    if kept.count < Self.mostCalls {
      kept.append(call)
    } else {
      horizon = min(horizon, call.began)
    }
  }

  /// The calls so far; of each read, every call that had begun by its end is here too.
  var calls: [Call] {
    semaphore.wait()
    defer { semaphore.signal() }
    return horizon == .max ? kept : kept.filter { !$0.kind.reads || $0.ended < horizon }
  }
}
