/// What happens once a begin has seen somebody else's slot: the path with a conflict.
enum ConflictDetection {
  /// Reports every owner that the section which has just been published conflicts with.
  @inline(never)
  static func report(
    _ open: Registry.OpenSection, _ word: SlotWord, in bucket: Bucket,
    on resource: borrowing Resource
  ) {
    let key = resource.key
    let mine = Evidence(of: open.record)
    var others: [Evidence] = []
    bucket.forEachOccupied { other, slot in
      if slot != open.slot, other.fragment == word.fragment, other.writes || word.writes,
        let evidence = Evidence.read(other, in: slot, key: key, owner: mine.owner)
      {
        others.append(evidence)
      }
      return true
    }
    let name = resource.nameString
    let instance = resource.instanceDescription
    for other in others {
      ConflictLog.shared.add(
        Meeting(resource: name, instance: instance, first: other, second: mine))
    }
  }
}
