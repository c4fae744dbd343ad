internal import Synchronization

/// Two places that nearly met, or met; in either order.
struct PlacePair: Hashable {
  var lower: PlaceNumber
  var higher: PlaceNumber

  @inline(__always)
  init(_ one: PlaceNumber, _ other: PlaceNumber) {
    (lower, higher) = one.bits < other.bits ? (one, other) : (other, one)
  }

  @inline(__always)
  var bits: UInt { lower.bits << 12 | higher.bits }

  var places: Set<PlaceNumber> { [lower, higher] }
}

/// What has come of a pair.
enum PairState: UInt {
  /// Delays in its places look for an overlap.
  case armed = 1
  /// A lock orders its places, as far as was seen.
  case dropped = 2
  /// They have met.
  case found = 3
}

extension DelayTables {
  private static let pairProbes = 16
  /// More pairs than this are not followed.
  static let mostPairs = pairSlots / 2

  /// The slot of a pair or a free one for it; `nil` where there is no room.
  @inline(__always)
  private func slot(of pair: PlacePair) -> Words? {
    var slot = Int(truncatingIfNeeded: Self.mixed(UInt64(pair.bits)) >> 52)
    for _ in 0..<Self.pairProbes {
      let known = pairs[slot].load(ordering: .relaxed)
      if known == 0 || known >> 8 == pair.bits { return pairs + slot }
      slot = (slot + 1) & (Self.pairSlots - 1)
    }
    return nil
  }

  /// Whether a pair need not be looked at: something has come of it, or there is no room for it.
  @inline(__always)
  func isSettled(_ pair: PlacePair) -> Bool {
    guard let slot = slot(of: pair) else { return true }
    return slot.pointee.load(ordering: .relaxed) != 0
      || isFull.pointee.load(ordering: .relaxed) != 0
  }

  /// Says that no more pairs are followed; to be called under the lock of the pairs.
  func close() { isFull.pointee.store(1, ordering: .relaxed) }

  @inline(__always)
  private var isFull: Words { pairs + Self.pairSlots }

  /// What has come of a pair; `nil` for one that is not known.
  func state(of pair: PlacePair) -> PairState? {
    slot(of: pair).flatMap { PairState(rawValue: $0.pointee.load(ordering: .relaxed) & 0xFF) }
  }

  /// Keeps what has come of a pair, and how many armed pairs its places are in; to be called under
  /// the lock of the pairs. Returns `false` where there is no room for it.
  func set(_ state: PairState, of pair: PlacePair) -> Bool {
    guard let slot = slot(of: pair) else { return false }
    let before = PairState(rawValue: slot.pointee.load(ordering: .relaxed) & 0xFF)
    slot.pointee.store(pair.bits << 8 | state.rawValue, ordering: .relaxed)
    guard (before == .armed) != (state == .armed) else { return true }
    for place in pair.places {
      if state == .armed {
        words(of: place).armedPairs.pointee.wrappingAdd(1, ordering: .relaxed)
      } else {
        words(of: place).armedPairs.pointee.wrappingSubtract(1, ordering: .relaxed)
      }
    }
    return true
  }
}
