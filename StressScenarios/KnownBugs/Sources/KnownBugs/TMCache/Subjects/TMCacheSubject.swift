import Caches
import Foundation
import InterlockStress

/// The call of every TMCache subject that releases the cache.
let tmDropAction = "drop"

/// One of TMCache's caches as a subject: the calls that every cache has, and some of its own.
///
/// It can release the cache, as an application does; later calls complete without a cache.
final class TMCacheSubject<Subjected: Caches.Cache>: CacheBackedSubject {
  /// One of the cache's own calls. It never completes if the cache never calls back.
  typealias Action =
    @Sendable (Subjected, InterlockStress.Operation, @escaping @Sendable (Reply) -> Void) -> Void

  /// The cache, and the subject that makes the calls that every cache has.
  private struct Held {
    var cache: Subjected
    var calls: any Subject
  }

  private let held: TMBox<Held?>
  var measuredCache: (any Caches.Cache)? { held.value?.cache }
  private let actions: [String: Action]
  private let state: @Sendable (Subjected) -> FinalState?
  /// The directory of its files, kept while the subject lives.
  private let root: TMRoot?

  init(
    _ cache: Subjected, actions: [String: Action], root: TMRoot? = nil,
    state: @escaping @Sendable (Subjected) -> FinalState?
  ) {
    held = TMBox(Held(cache: cache, calls: SubjectEntry.cache("", "") { cache }.make()))
    self.actions = actions
    self.state = state
    self.root = root
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return name == tmDropAction || actions[name] != nil
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind else {
      guard let calls = held.value?.calls else { return completion(.done) }
      return calls.perform(operation, completion: completion)
    }
    if name == tmDropAction {
      held.value = nil
      return completion(.done)
    }
    guard let action = actions[name], let cache = held.value?.cache else {
      return completion(.done)
    }
    action(cache, operation, completion)
  }

  func finalState() -> FinalState? { (held.value?.cache).flatMap(state) }
}

/// A value that several threads set and read.
///
/// `@unchecked Sendable`: only touched under the lock.
final class TMBox<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var current: Value

  init(_ value: Value) { current = value }

  var value: Value {
    get { lock.withLock { current } }
    set {
      // Release the old value without the lock: its `deinit` may call the cache.
      let old = lock.withLock {
        defer { current = newValue }
        return current
      }
      withExtendedLifetime(old) {}
    }
  }
}
