/// What happens once a begin has seen somebody else's slot: the path with a conflict.
enum ConflictDetection {
  /// Reports every owner that the section which has just been published conflicts with.
  @inline(never)
  static func report(
    _ open: Registry.OpenSection, _ word: SlotWord, in bucket: Bucket,
    on resource: borrowing Resource
  ) {
    ConflictLog.shared.waitIfStopping()
    let delays = HotSettings.current.delays ? NearMissDelays.shared : nil
    let held = delays?.held
    var heldPlace: Evidence.RawPlace?
    let key = resource.key
    let mine = Evidence(of: open.record)
    // A thousand others may be in at once, nearly all at one place: each place is reported once, counted.
    var others: [Evidence.RawPlace: (evidence: Evidence, count: Int)] = [:]
    bucket.forEachOccupied { other, slot in
      guard slot != open.slot, other.fragment == word.fragment, other.writes || word.writes else {
        return true
      }
      if other.bits == held?.word, let record = other.record {
        heldPlace = Evidence.RawPlace(of: record)
        delays?.endHold()
      }
      if let record = other.record, others[Evidence.RawPlace(of: record)] != nil,
        record[.key] == UInt(key.hash), record[.owner] != mine.owner
      {
        // Not behind a pin: it is only counted.
        others[Evidence.RawPlace(of: record)]?.count += 1
      } else if let evidence = Evidence.read(other, in: slot, key: key, owner: mine.owner) {
        others[evidence.rawPlace, default: (evidence, 0)].count += 1
      }
      return true
    }
    let name = resource.nameString
    let instance = resource.instanceDescription
    for (other, count) in others.values {
      var meeting = Meeting(resource: name, instance: instance, first: other, second: mine)
      if let held, other.rawPlace == heldPlace {
        meeting.heldOpen = Conflict.HeldOpen(
          microseconds: Int(held.microseconds), seed: SectionTracking.delaySeed)
      }
      delays?.met(mine, other)
      ConflictLog.shared.add(meeting, times: count)
    }
  }
}
