/// The caches of a process by their directories, so that one directory has one cache: what its
/// users are told to see to, since a second instance has a lock and sums of its own.
///
/// The look and the entry are one step under the lock. (YYCache's map, which takes its lock for
/// each of them, still makes two caches now and then.)
///
/// `@unchecked Sendable`: `known` is under `mutex`.
package final class PINInstances<Instance: AnyObject & Sendable>: @unchecked Sendable {
  private struct Entry { weak var instance: Instance? }

  private let mutex = PINMutex()
  private var known: [String: Entry] = [:]

  /// Knows none.
  package init() {}

  deinit { mutex.destroy() }

  /// The instance of a name, made where there is none that lives.
  package func instance(named name: String, make: () -> Instance) -> Instance {
    mutex.lock()
    defer { mutex.unlock() }
    if let instance = known[name]?.instance { return instance }
    let made = make()
    known[name] = Entry(instance: made)
    return made
  }
}
