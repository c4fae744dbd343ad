import Foundation

extension PINMemoryCache {
  /// A key's object and metadata.
  final class Slot {
    /// `nil` in a slot that a late note of an access has made.
    var object: PINObject?
    /// A unique number of each stored object.
    var number: UInt64 = 0
    var cost: UInt = 0
    var created = Date.distantPast
    /// When it was used last, to a few milliseconds.
    var accessed: Date
    /// Grows with every use of any key: the order of uses, for which the dates are too coarse.
    var use: UInt64 = 0
    var accessCount = 0
    /// The key's own age limit; 0 if it has none.
    var ageLimit: TimeInterval = 0
    /// Whether it is in the dictionary.
    var isPresent = true

    init(accessed: Date) { self.accessed = accessed }

    /// A copy that a trim may read without the lock.
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
