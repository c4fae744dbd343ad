/// The caches of a process by their directories, so that one directory has one cache. PINCache
/// leaves that to its users, though a second instance has its own lock and sums.
///
/// Look-up and entry are one step under the lock. (YYCache's map takes its lock for each of them,
/// and sometimes makes two caches.)
///
/// `@unchecked Sendable`: `known` is under `mutex`.
package final class PINInstances<Instance: AnyObject & Sendable>: @unchecked Sendable {
  private struct Entry { weak var instance: Instance? }

  private let mutex = PINMutex()
  private var known: [String: Entry] = [:]

  /// Makes an empty table.
  package init() {}

  deinit { mutex.destroy() }

  /// The live instance of a name, created if there is none.
  package func instance(named name: String, make: () -> Instance) -> Instance {
    mutex.lock()
    defer { mutex.unlock() }
    if let instance = known[name]?.instance { return instance }
    let made = make()
    known[name] = Entry(instance: made)
    return made
  }
}
