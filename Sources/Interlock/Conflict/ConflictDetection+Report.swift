internal import SectionTable
internal import Synchronization

// Reports a section that overlaps another owner's: the slow path of a begin.
extension ConflictDetection {
  /// The number of overlaps on the unlisted resource.
  static let unlistedOverlaps = Atomic(0)

  /// The sections that one section has overlapped.
  private struct Others {
    /// The overlapped sections by place. A thousand sections may be open, nearly all at one place:
    /// each place is reported once, with a count.
    var byPlace: [Evidence.RawPlace: (evidence: Evidence, count: Int)] = [:]
    /// The place of the section that a delay holds open, if it is among the overlapped ones.
    var heldPlace: Evidence.RawPlace?
  }

  /// Reports every owner whose section conflicts with the section just published.
  static func report(
    _ open: Registry.OpenSection, in bucket: Bucket, on resource: borrowing Resource
  ) {
    ConflictLog.shared.waitIfStopping()
    let delays = HotSettings.current.delays ? NearMissDelays.shared : nil
    let held = delays?.held
    let word = open.word
    let key = resource.key
    let mine = Evidence(withPartOf: open.record)
    var others = Others()
    bucket.look {
      bucket.forEachOccupied { other, slot in
        guard slot != open.slot, other.fragment == word.fragment, other.writes || word.writes else {
          return true
        }
        if other.bits == held?.word, let record = other.record {
          others.heldPlace = Evidence.RawPlace(of: record)
          delays?.endHold()
        }
        if let record = other.record, others.byPlace[Evidence.RawPlace(of: record)] != nil,
          record[.key] == UInt(key.hash), record[.owner] != mine.owner
        {
          // The record is only counted, so it needs no pin.
          others.byPlace[Evidence.RawPlace(of: record)]?.count += 1
        } else if let evidence = Evidence.read(other, in: slot, key: key, owner: mine.owner) {
          others.byPlace[evidence.rawPlace, default: (evidence, 0)].count += 1
        }
        noteOverlap(with: other, on: key)
        // Also the owner's own write: another owner's section may hide it from `conflicts`.
        if word.isWitnessed, other.writes, other.record?[.key] == UInt(key.hash) {
          open.record[.hasMet] = 1
        }
        return true
      }
    }
    if open.word.isWitnessed, !others.byPlace.isEmpty { open.record[.hasMet] = 1 }
    add(others, met: mine, held: held, on: resource)
  }

  /// Reports every owner whose section conflicts with a section on a part just published: sections
  /// on the whole, and sections on an equal part. Returns true if there is one.
  static func lookAndReport(
    _ open: Registry.OpenSection, _ part: Part, in bucket: Bucket, on resource: borrowing Resource
  ) -> Bool {
    let key = resource.key
    let owner = open.record[.owner]
    var found: [(word: SlotWord, evidence: Evidence)] = []
    bucket.look {
      bucket.forEachOccupied { other, slot in
        guard slot != open.slot, other.fragment == open.word.fragment,
          other.writes || open.word.writes, let record = other.record
        else { return true }
        if !other.hasPart {
          if let evidence = Evidence.read(other, in: slot, key: key, owner: owner) {
            found.append((other, evidence))
          }
          noteOverlap(with: other, on: key)
        } else if other.partBits == open.word.partBits, record[.partHash] == UInt(part.hash),
          record[.key] == UInt(key.hash), record[.owner] != owner
        {
          // The record is complete even if the section has ended meanwhile: see `Bucket.look`.
          found.append((other, Evidence(withPartOf: record)))
        }
        return true
      }
    }
    // Compare parts after the look, since `isSame` calls the user's type. Equal hashes alone are no
    // conflict.
    found.removeAll { $0.word.hasPart && $0.evidence.part?.isSame(as: part) != true }
    guard !found.isEmpty else { return false }
    ConflictLog.shared.waitIfStopping()
    let delays = HotSettings.current.delays ? NearMissDelays.shared : nil
    let held = delays?.held
    var others = Others()
    for (word, evidence) in found {
      others.byPlace[evidence.rawPlace, default: (evidence, 0)].count += 1
      if word.bits == held?.word {
        others.heldPlace = evidence.rawPlace
        delays?.endHold()
      }
    }
    add(others, met: Evidence(withPartOf: open.record), held: held, on: resource)
    return true
  }

  /// Marks a section with a witness as overlapped by a marked section, which may change the value
  /// later. The marked section may be of any owner. Call it in a look.
  private static func noteOverlap(with other: SlotWord, on key: ResourceKey) {
    guard other.isWitnessed, let record = other.record, record[.key] == UInt(key.hash) else {
      return
    }
    record[.hasMet] = 1
    // Order this section's writes after the mark, for a reader that sees them: see
    // `WitnessDetection`.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  private static func add(
    _ others: Others, met mine: Evidence, held: (word: UInt, microseconds: UInt)?,
    on resource: borrowing Resource
  ) {
    let delays = HotSettings.current.delays ? NearMissDelays.shared : nil
    let name = resource.nameString
    let instance = resource.instanceDescription
    for (other, count) in others.byPlace.values {
      if resource.key == .unlisted {
        // Relaxed: one thread, that of the second section, counts the overlap and reads the count.
        unlistedOverlaps.wrappingAdd(1, ordering: .relaxed)
        continue
      }
      var overlap = Overlap(resource: name, instance: instance, first: other, second: mine)
      if let held, other.rawPlace == others.heldPlace {
        overlap.heldOpen = Conflict.HeldOpen(
          microseconds: Int(held.microseconds), seed: SectionTracking.delaySeed)
      }
      delays?.met(mine, other)
      if HotSettings.current.coverage { ContentionCoverage.made?.met(mine, other, on: name) }
      ConflictLog.shared.add(overlap, times: count)
    }
  }
}
