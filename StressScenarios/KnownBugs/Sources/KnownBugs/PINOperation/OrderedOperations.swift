/// Operations in the order of arrival, each once; the original uses NSMutableOrderedSet.
///
/// Constant time on average: a removed operation leaves an empty slot, which is dropped once the
/// front has passed it.
struct OrderedOperations {
  private var slots: [PINOperation?] = []
  private var front = 0
  private var places: [ObjectIdentifier: Int] = [:]

  /// The oldest operation.
  var first: PINOperation? {
    front < slots.count ? slots[front] : nil
  }

  func contains(_ operation: PINOperation) -> Bool {
    places[ObjectIdentifier(operation)] != nil
  }

  /// Adds an operation at the end; a known operation keeps its place.
  mutating func append(_ operation: PINOperation) {
    guard !contains(operation) else { return }
    places[ObjectIdentifier(operation)] = slots.count
    slots.append(operation)
  }

  /// Removes an operation, if it is known.
  mutating func remove(_ operation: PINOperation) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(operation)) else { return }
    slots[place] = nil
    while front < slots.count, slots[front] == nil { front += 1 }
    if front == slots.count {
      slots.removeAll(keepingCapacity: true)
      front = 0
    }
  }
}
