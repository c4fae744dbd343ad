/// Operations in the order in which they came, each once: what the original has NSMutableOrderedSet
/// for.
///
/// Constant time on average: a removed operation leaves an empty slot, which goes when the front
/// has passed it.
struct OrderedOperations {
  private var slots: [PINOperation?] = []
  private var front = 0
  private var places: [ObjectIdentifier: Int] = [:]

  /// The one that has been here for longest.
  var first: PINOperation? {
    front < slots.count ? slots[front] : nil
  }

  func contains(_ operation: PINOperation) -> Bool {
    places[ObjectIdentifier(operation)] != nil
  }

  /// Adds an operation at the end; one that is here already stays where it is.
  mutating func append(_ operation: PINOperation) {
    guard !contains(operation) else { return }
    places[ObjectIdentifier(operation)] = slots.count
    slots.append(operation)
  }

  /// Removes an operation, if it is here.
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
