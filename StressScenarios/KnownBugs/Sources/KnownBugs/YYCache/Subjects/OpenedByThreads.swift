import Foundation

/// The caches on one folder that a trial's threads have opened separately.
///
/// All threads that have not opened a cache share one.
final class OpenedByThreads<Opened: AnyObject & Sendable>: Sendable {
  /// A thread's own cache; retains the thread, so that no later one gets its identifier.
  private struct Own {
    var thread: Thread
    var opened: Opened
  }

  private struct State {
    var byThread: [ObjectIdentifier: Own] = [:]
    var common: Opened?
  }

  private let state = Box(State())
  private let path = folderOfTrial()
  private let open: @Sendable (_ path: String) throws -> Opened

  init(_ open: @escaping @Sendable (_ path: String) throws -> Opened) {
    self.open = open
  }

  /// The calling thread's cache.
  var current: Opened {
    let thread = ObjectIdentifier(Thread.current)
    if let known = state.change({ $0.byThread[thread]?.opened ?? $0.common }) { return known }
    let opened = opened(path)
    state.change { $0.common = opened }
    return opened
  }

  /// Opens the folder for the calling thread, by another spelling of the same path if asked for.
  func openForThread(oddlySpelt isOddlySpelt: Bool) {
    let opened = opened(isOddlySpelt ? path + "/." : path)
    let thread = Thread.current
    state.change { $0.byThread[ObjectIdentifier(thread)] = Own(thread: thread, opened: opened) }
  }

  /// Releases the calling thread's cache: the last reference, unless another thread is in a call.
  func closeForThread() {
    let closed = state.change { state -> Opened? in
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
    state.change { state in
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
}
