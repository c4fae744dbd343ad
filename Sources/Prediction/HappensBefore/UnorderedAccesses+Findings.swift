import CInterlockAnalysis
import HangReports
import Interlock

extension Predictor {
  /// The accesses without an observed order, as findings; undecided ones as one line each.
  static func races(
    besides order: LockOrder, judge: inout CodeJudge
  ) -> (findings: [PotentialFinding], notes: [String]) {
    guard SectionTracking.isCompiledIn else { return ([], []) }
    var findings: [PotentialFinding] = []
    var doubts: [CodeJudge.Doubt: Int] = [:]
    for accesses in SectionTracking.unordered {
      let addresses = accesses.first.addresses + accesses.second.addresses
      // A deinitialiser runs after all other uses of the object. Reference counts order it, without
      // an event.
      if judge.isInDeinit(accesses.second.addresses) { continue }
      if let doubt = judge.doubt(about: accesses.first.addresses)
        ?? judge.doubt(about: accesses.second.addresses)
      {
        doubts[doubt, default: 0] += 1
      } else {
        let names = Names(of: Set(addresses + accesses.heldAddresses))
        findings.append(accesses.finding(names, order))
      }
    }
    var notes = doubts.sorted { $0.key < $1.key }.map { doubt, count in
      "\(count) \(count == 1 ? "pair" : "pairs") of places without an order that was seen:"
        + " undecided, since \(doubt), and no event tells what that orders"
    }
    // No section needed its epoch: nothing was missed.
    if let racesBlindness, interlock_clocks_are_missed() {
      notes.append("the order of sections is unknown from some point on: \(racesBlindness)")
    }
    return (findings, notes)
  }
}

extension Predictor {
  /// Why the order of sections is unknown; `nil` if it is known.
  static var racesBlindness: String? {
    if !SectionTracking.isCompiledIn {
      return "section tracking is not compiled into this build"
    }
    return interlock_clocks_blindness().map { String(cString: $0) }
  }
}

extension UnorderedAccesses.Held {
  /// Where the lock was acquired, innermost first.
  var places: [UInt] { [place, outer].filter { $0 != 0 } }
}

extension UnorderedAccesses {
  var heldAddresses: [UInt] { (first.held + second.held).flatMap(\.places) }

  func finding(_ names: Names, _ order: LockOrder) -> PotentialFinding {
    let sides = [first, second].map { side in
      PotentialFinding.Side(
        party: Self.party(side.section),
        act: Self.verb(side.section) + " '\(Printable.line(name))'",
        place: [Self.frame(side.section)], stack: side.section.stack,
        held: side.held.map { held in
          PotentialFinding.Held(
            object: Self.lock(held, names, order), place: names.frames(held.places))
        })
    }
    let held = zip(["the first", "the second"], sides).map { "\($0) held \(Self.list($1.held))" }
    var finding = PotentialFinding(
      kind: .race,
      headline:
        "nothing orders the second of two accesses to '\(Printable.line(name))' after the first:"
        + " \(Self.noun(first.section)) at \(first.section.place), and"
        + " \(Self.noun(second.section)) at \(second.section.place);"
        + " \(held.joined(separator: ", "))",
      sides: sides, count: count)
    finding.resource = lastingResource
    return finding
  }

  private var name: String {
    [resource, instance ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func verb(_ section: Conflict.Side) -> String {
    section.mode == .noReadWrite ? "writes" : "reads"
  }

  private static func noun(_ section: Conflict.Side) -> String {
    section.mode == .noReadWrite ? "a write" : "a read"
  }

  private static func party(_ section: Conflict.Side) -> String {
    var thread = Printable.label(section.thread)
    if let task = section.task { thread = "task \(task) on \(thread)" }
    return section.queue.map { "\(thread) on queue \"\(Printable.label($0))\"" } ?? thread
  }

  /// The line of the section itself, as a frame. An inlined function may be missing from the stack.
  private static func frame(_ section: Conflict.Side) -> StackFrame {
    StackFrame(
      address: section.stack.first?.address ?? 0, function: section.place.function,
      file: section.place.file, line: section.place.line)
  }

  private static func lock(_ held: Held, _ names: Names, _ order: LockOrder) -> String {
    if let known = order.locks.values.first(where: { $0.object == held.object }) {
      return names.lock(known)
    }
    guard let kind = LockKind(held.kind) else { return "a lock" }
    return names.lock(LockOrder.Lock(object: held.object, kind: kind))
  }

  private static func list(_ held: [PotentialFinding.Held]) -> String {
    if held.isEmpty { return "nothing" }
    return held.map { $0.object + PlaceText.at($0.place) }.joined(separator: " and ")
  }
}
