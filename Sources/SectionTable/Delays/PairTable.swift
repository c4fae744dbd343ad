internal import Synchronization

/// Two places that overlapped or nearly did, in either order.
package struct PlacePair: Hashable {
  package var lower: PlaceNumber
  package var higher: PlaceNumber

  @inline(__always)
  package init(_ one: PlaceNumber, _ other: PlaceNumber) {
    (lower, higher) = one.bits < other.bits ? (one, other) : (other, one)
  }

  @inline(__always)
  package var bits: UInt { lower.bits << 12 | higher.bits }

  package var places: Set<PlaceNumber> { [lower, higher] }
}

/// The state of a pair.
package enum PairState: UInt {
  /// Delays at the places look for an overlap.
  case armed = 1
  /// A lock seems to order the places.
  case dropped = 2
  /// The places have overlapped.
  case found = 3
}

extension DelayTables {
  private static let pairProbes = 16
  /// The most pairs that are followed.
  package static let mostPairs = pairSlots / 2

  /// The slot of a pair, or a free one for it; `nil` if the table is full.
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

  /// True if a pair needs no work: its state is known, or there is no room for it.
  @inline(__always)
  func isSettled(_ pair: PlacePair) -> Bool {
    guard let slot = slot(of: pair) else { return true }
    return slot.pointee.load(ordering: .relaxed) != 0
      || isFull.pointee.load(ordering: .relaxed) != 0
  }

  /// Records that no more pairs are followed. Call it under the lock of the pairs.
  package func close() { isFull.pointee.store(1, ordering: .relaxed) }

  @inline(__always)
  private var isFull: Words { pairs + Self.pairSlots }

  /// The state of a pair; `nil` if unknown.
  package func state(of pair: PlacePair) -> PairState? {
    slot(of: pair).flatMap { PairState(rawValue: $0.pointee.load(ordering: .relaxed) & 0xFF) }
  }

  /// Sets the state of a pair, and updates the numbers of armed pairs of its places. Call it under
  /// the lock of the pairs. Returns `false` if the table is full.
  package func set(_ state: PairState, of pair: PlacePair) -> Bool {
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
