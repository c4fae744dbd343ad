import Foundation

extension PINMemoryCache {
  /// What is known of a key.
  final class Slot {
    /// `nil` in a slot that a late note of an access has made.
    var object: PINObject?
    /// Another number for each object that was stored.
    var number: UInt64 = 0
    var cost: UInt = 0
    var created = Date.distantPast
    /// When it was used last, to some milliseconds.
    var accessed: Date
    /// Grows with every use of any key: the order of the uses, which the dates are too close for.
    var use: UInt64 = 0
    var accessCount = 0
    /// The key's own age limit; 0 where it has none.
    var ageLimit: TimeInterval = 0
    /// Whether it is in the dictionary.
    var isPresent = true

    init(accessed: Date) { self.accessed = accessed }

    /// The same without the object, but for whether there is one.
    func copy() -> Slot {
      let copy = Slot(accessed: accessed)
      copy.object = object
      copy.number = number
      copy.cost = cost
      copy.created = created
      copy.use = use
      copy.accessCount = accessCount
      copy.ageLimit = ageLimit
      return copy
    }
  }
}
