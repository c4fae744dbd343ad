internal import CInterlockExplorer
internal import HangReports
internal import Interlock
internal import ProcessInspection

extension Schedule {
  /// Replaces places in helpers that several calls share by the helpers' call sites.
  mutating func showCallSites(
    _ result: interlock_exploration_result, _ trace: [interlock_exploration_step]
  ) {
    guard let stacks = result.stacks else { return }
    var known: [UInt32: [CallSite.Frame]] = [:]
    func frames(_ number: UInt32) -> [CallSite.Frame] {
      // Check the range: the number comes from a child process, whose body may have overwritten it.
      guard number > 0, number <= INTERLOCK_STACKS_MOST else { return [] }
      if let frames = known[number] { return frames }
      let addresses = withUnsafeBytes(of: stacks[Int(number) - 1]) {
        $0.bindMemory(to: UInt.self).prefix { $0 != 0 }.map(\.self)
      }
      let found = CallSite.frames(addresses)
      known[number] = found
      return found
    }
    let waiting = UnsafeBufferPointer(start: result.blocked, count: result.blocked_count)
    let named = UnsafeBufferPointer(start: result.named, count: Int(result.named_count))
    let sites =
      zip(trace, steps).map { CallSite(operation: $1.operation, frames: frames($0.stack)) }
      + zip(waiting, blocked).map { CallSite(operation: $1.operation, frames: frames($0.stack)) }
      + named.map { CallSite(operation: "made", frames: frames($0.made_at)) }
    let shown = CallSite.shown(sites)
    for index in steps.indices { steps[index].show(shown[index]) }
    for index in blocked.indices { blocked[index].show(shown[steps.count + index]) }
    for index in objects.indices {
      let site = shown[steps.count + blocked.count + index]
      (objects[index].place, objects[index].helper) = (site?.place, site?.helper)
    }
  }
}

extension Schedule.Step {
  fileprivate mutating func show(_ site: CallSite.Shown?) {
    guard let site else { return }
    (place, helper) = (site.place, site.helper)
  }
}

extension CallSite {
  /// Symbolicates stacks, and returns the frames of user code that have a line.
  static func frames(_ stack: [UInt]) -> [Frame] {
    namedFrames(stack).compactMap { named in
      let place = named.frame
      guard place.line ?? 0 > 0, !place.isSystem else { return nil }
      switch place.file.flatMap(OwnCode.part(ofFile:)) {
      case .harness, .interposition: return nil
      default: return Frame(place: place, takesFunction: named.takesFunction)
      }
    }
  }
}
