internal import Synchronization

/// A place and mode, as a number from 1 to 4095. The lowest bit is set if the section writes.
///
/// 0 is a place that is not followed, because there were too many before it.
package struct PlaceNumber: Hashable {
  package var bits: UInt

  @inline(__always)
  package init(bits: UInt) { self.bits = bits }

  @inline(__always)
  package var isFollowed: Bool { bits != 0 }
  @inline(__always)
  package var writes: Bool { bits & 1 != 0 }
}

/// The data of a place that delays depend on.
package struct PlaceWords {
  let words: DelayTables.Words

  /// The number of armed pairs of the place.
  @inline(__always)
  var armedPairs: DelayTables.Words { words }
  /// The number of delays at the place that ended without an overlap.
  package var fruitless: DelayTables.Words { words + 1 }
  /// The number of times that a delay was considered at the place.
  package var considered: DelayTables.Words { words + 2 }
  /// A hash of the place's text, equal in every run.
  package var textHash: DelayTables.Words { words + 3 }
}

extension DelayTables {
  /// Identifies a place without its text, by the addresses of its literals, the line and the mode.
  package struct Mark {
    package let bits: UInt

    @inline(__always)
    package init(file: UInt, lineAndFlags: UInt) {
      let line = lineAndFlags & (0xFFFF_FFFF | Entry.writesFlag)
      bits = UInt(DelayTables.mixed(UInt64(file) ^ UInt64(line) << 24 ^ UInt64(line) >> 40)) | 1
    }
  }

  private static let probes = 8

  @inline(__always)
  package func words(of place: PlaceNumber) -> PlaceWords {
    PlaceWords(words: places + Int(place.bits) * Self.placeWords)
  }

  /// The number of a place; `nil` if it has none yet.
  @inline(__always)
  package func number(of mark: Mark) -> PlaceNumber? {
    var slot = Int(mark.bits >> 51)
    for _ in 0..<Self.probes {
      // Acquire the number, which is stored before the mark.
      let known = marks[2 * slot].load(ordering: .acquiring)
      if known == mark.bits {
        return PlaceNumber(bits: marks[2 * slot + 1].load(ordering: .relaxed))
      }
      if known == 0 { return nil }
      slot = (slot + 1) & (Self.markSlots - 1)
    }
    // The table is full: places without a mark are not followed.
    return PlaceNumber(bits: 0)
  }

  /// Sets the number of a place. Call it under the lock of the pairs.
  package func set(_ number: PlaceNumber, of mark: Mark) {
    var slot = Int(mark.bits >> 51)
    for _ in 0..<Self.probes {
      let known = marks[2 * slot].load(ordering: .relaxed)
      if known == mark.bits { return }
      if known == 0 {
        marks[2 * slot + 1].store(number.bits, ordering: .relaxed)
        // Release the number to threads that find the mark.
        marks[2 * slot].store(mark.bits, ordering: .releasing)
        return
      }
      slot = (slot + 1) & (Self.markSlots - 1)
    }
  }
}
