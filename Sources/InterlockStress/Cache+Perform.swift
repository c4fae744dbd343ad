public import Caches
public import StressRunner

extension Caches.Cache {
  /// Performs a call that every cache supports, for a subject that also has subject-specific calls.
  ///
  /// Calls `completion` when the cache does: for synchronous kinds, before this function returns. A
  /// subject-specific call (`Operation.Kind.action`) is an error of the caller, and traps.
  public func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let key = operation.key
    switch operation.kind {
    case .get:
      completion(.value(value(forKey: key)))
    case .set:
      setValue(operation.value, forKey: key, cost: operation.cost)
      completion(.done)
    case .remove:
      removeValue(forKey: key)
      completion(.done)
    case .removeAll:
      removeAllValues()
      completion(.done)
    case .count:
      completion(.count(count))
    case .getAsync:
      value(forKey: key) { completion(.value($0)) }
    case .setAsync:
      setValue(operation.value, forKey: key, cost: operation.cost) { completion(.done) }
    case .removeAsync:
      removeValue(forKey: key) { completion(.done) }
    case .action(let name):
      preconditionFailure("not a call that every cache has: \(name)")
    }
  }
}
