import Dispatch

/// Weak references to objects by name: an `NSMapTable` of weak values under a semaphore of 1.
///
/// The names of freed instances are dropped when another is entered.
///
/// `@unchecked Sendable`: the dictionary is only touched under the semaphore.
final class WeakInstances<Instance: AnyObject>: @unchecked Sendable {
  private struct Weak {
    weak var instance: Instance?
  }

  private let semaphore = DispatchSemaphore(value: 1)
  private var instances: [String: Weak] = [:]

  /// The instance of a name. Reading and writing are two steps; other calls may run between them.
  subscript(name: String) -> Instance? {
    get { withLock { $0[name]?.instance } }
    set {
      withLock {
        $0 = $0.filter { $0.value.instance != nil }
        $0[name] = Weak(instance: newValue)
      }
    }
  }

  /// The instance of a name, made if there is none; in one step.
  func instance<Failure: Error>(
    for name: String, orMake make: () throws(Failure) -> Instance
  ) throws(Failure) -> Instance {
    semaphore.wait()
    defer { semaphore.signal() }
    if let instance = instances[name]?.instance { return instance }
    let instance = try make()
    instances = instances.filter { $0.value.instance != nil }
    instances[name] = Weak(instance: instance)
    return instance
  }

  private func withLock<R>(_ body: (inout [String: Weak]) -> R) -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return body(&instances)
  }
}
