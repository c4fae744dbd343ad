import Caches
import Foundation
import InterlockStress

/// A cache of YYCache's family as a subject; `act` and `finalState` differ for each.
protocol YYSubject: Subject {
  /// The names of its own calls.
  static var actions: [String] { get }

  /// The cache that the calling thread uses.
  var cache: any Caches.Cache { get }

  /// Called before a call that every cache has.
  func willPerform(_ operation: InterlockStress.Operation)

  /// Makes one of its own calls.
  func act(
    _ name: String, _ operation: InterlockStress.Operation,
    completion: @escaping @Sendable (Reply) -> Void)
}

extension YYSubject {
  func willPerform(_ operation: InterlockStress.Operation) {}

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    if case .action(let name) = kind { return Self.actions.contains(name) }
    return true
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    if case .action(let name) = operation.kind {
      return act(name, operation, completion: completion)
    }
    willPerform(operation)
    cache.perform(operation, completion: completion)
  }
}

/// The options of a trial's disk caches: no timer, because an armed timer counts as pending work.
func optionsOfTrial(_ repairs: YYDiskRepairs) -> YYDiskCache.Options {
  var options = YYDiskCache.Options()
  options.autoTrimInterval = 0
  options.repairs = repairs
  return options
}

/// The caches on one folder that a trial's threads have opened separately.
///
/// Threads that have opened none share one.
final class OpenedByThreads<Opened: AnyObject & Sendable>: Sendable {
  /// A thread's own cache; retains the thread, so that no later one gets its identifier.
  private struct Own {
    var thread: Thread
    var opened: Opened
  }

  /// `@unchecked Sendable`: only touched under `lock`.
  private final class State: @unchecked Sendable {
    let lock = NSLock()
    var byThread: [ObjectIdentifier: Own] = [:]
    var common: Opened?
  }

  private let state = State()
  private let path = folderOfTrial()
  private let open: @Sendable (_ path: String) throws -> Opened

  init(_ open: @escaping @Sendable (_ path: String) throws -> Opened) {
    self.open = open
  }

  /// The calling thread's cache.
  var current: Opened {
    let thread = ObjectIdentifier(Thread.current)
    if let known = locked({ $0.byThread[thread]?.opened ?? $0.common }) { return known }
    let opened = opened(path)
    locked { $0.common = opened }
    return opened
  }

  /// Opens the folder for the calling thread.
  ///
  /// - Parameter isOddlySpelt: Whether to use another spelling of the same path.
  func openForThread(oddlySpelt isOddlySpelt: Bool) {
    let opened = opened(isOddlySpelt ? path + "/." : path)
    let thread = Thread.current
    locked { $0.byThread[ObjectIdentifier(thread)] = Own(thread: thread, opened: opened) }
  }

  /// Releases the calling thread's cache: the last reference, unless another thread is in a call.
  func closeForThread() {
    let closed = locked { state -> Opened? in
      if let own = state.byThread.removeValue(forKey: ObjectIdentifier(Thread.current)) {
        return own.opened
      }
      defer { state.common = nil }
      return state.common
    }
    withExtendedLifetime(closed) {}
  }

  /// How many different ones are open.
  var count: Int {
    locked { state in
      let all = state.byThread.values.map(\.opened) + (state.common.map { [$0] } ?? [])
      return Set(all.map(ObjectIdentifier.init)).count
    }
  }

  private func opened(_ path: String) -> Opened {
    do {
      return try open(path)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func locked<R>(_ body: (State) -> R) -> R {
    state.lock.withLock { body(state) }
  }
}
