/// Detects that a section overlaps a section of another owner. `TrackerHooks` then finds out what
/// the two are, off the fast path.
package enum ConflictDetection {
  /// True if another owner is in a section that conflicts with this one, which is already
  /// published.
  @inline(never)
  static func conflicts(_ open: Registry.OpenSection, of owner: UInt, in bucket: Bucket) -> Bool {
    var conflicts = false
    bucket.forEachOccupied { other, otherSlot in
      if otherSlot == open.slot || other.fragment != open.word.fragment { return true }
      if !other.writes && !open.word.writes { return true }
      // An owner's own records are certain: no other thread reuses them. Another owner's record is
      // checked again, under a pin, before it is reported.
      if let otherRecord = other.record, otherRecord[.owner] == owner {
        // Mark the witness as overlapped: a change by the owner itself is no conflict. The owner
        // writes in the inner section or in the outer one.
        guard otherRecord[.key] == UInt(open.key.hash) else { return true }
        if other.isWitnessed { otherRecord[.hasMet] = 1 }
        if open.word.isWitnessed, other.writes { open.record[.hasMet] = 1 }
        return true
      }
      conflicts = true
      return false
    }
    return conflicts
  }

  /// True if another owner may be in a section that conflicts with this one on a part: a section on
  /// the whole, or on a part with the same hash. Also true if a section has a witness, which must
  /// then be marked.
  @inline(never)
  static func mayConflict(
    _ open: Registry.OpenSection, _ part: Part, of owner: UInt, in bucket: Bucket
  ) -> Bool {
    var mayConflict = false
    // Records keep their contents during a look: see `Bucket`.
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
