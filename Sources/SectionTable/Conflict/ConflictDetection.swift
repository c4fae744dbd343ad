/// Detects that a section overlaps another owner's. What the two are is found out afterwards, off
/// the usual path: see `TrackerHooks`.
package enum ConflictDetection {
  /// Whether another owner is in a section that conflicts with this one, which has been published.
  @inline(never)
  static func conflicts(_ open: Registry.OpenSection, of owner: UInt, in bucket: Bucket) -> Bool {
    var conflicts = false
    bucket.forEachOccupied { other, otherSlot in
      if otherSlot == open.slot || other.fragment != open.word.fragment { return true }
      if !other.writes && !open.word.writes { return true }
      // Certain for the owner's own records, which no other thread reuses. Another owner's record
      // is checked again, under a pin, before a report.
      if let otherRecord = other.record, otherRecord[.owner] == owner {
        // A witness that the owner's own write changes is no conflict.
        if other.isWitnessed, otherRecord[.key] == UInt(open.key.hash) { otherRecord[.hasMet] = 1 }
        return true
      }
      conflicts = true
      return false
    }
    return conflicts
  }

  /// Whether another owner may be in a section that conflicts with this one on a part: in one on
  /// the whole, or on a part with the same hash. Also if a section has a witness, which must be
  /// marked.
  @inline(never)
  static func mayConflict(
    _ open: Registry.OpenSection, _ part: Part, of owner: UInt, in bucket: Bucket
  ) -> Bool {
    var mayConflict = false
    // The records keep their contents during a look: see `Bucket`.
    bucket.look {
      bucket.forEachOccupied { other, slot in
        guard slot != open.slot, other.fragment == open.word.fragment,
          other.writes || open.word.writes, let record = other.record
        else { return true }
        if other.hasPart {
          guard other.partBits == open.word.partBits, record[.partHash] == UInt(part.hash),
            record[.key] == UInt(open.key.hash), record[.owner] != owner
          else { return true }
        } else if !other.isWitnessed, record[.owner] == owner {
          return true
        }
        mayConflict = true
        return false
      }
    }
    return mayConflict
  }
}
