import Interlock
import Hangs

extension CauseFormatter {
  /// The waits of parties, grouped by object and place, the largest group first.
  func waitLines(_ parties: [Diagnosis.Party]) -> [String] {
    Self.limited(
      waitLines(of: parties.filter { !$0.isTask }, "thread")
        + waitLines(of: parties.filter(\.isTask), "task"),
      "waits")
  }

  private func waitLines(of parties: [Diagnosis.Party], _ noun: String) -> [String] {
    let waits = parties.compactMap { party in
      wait(of: party).map { (text: names.waiting($0) + PlaceText.at($0.place), party: party) }
    }
    let singles = Dictionary(waits.map { ($0.text, $0.party) }, uniquingKeysWith: { a, _ in a })
    return Self.counted(waits.map(\.text)).map { group in
      if group.count == 1, let party = singles[group.text] {
        return "\(names.party(party)) \(group.text)"
      }
      return "\(Counted.noun(group.count, noun)): each \(group.text)"
    }
  }

  /// The waits of a chain, one line each.
  func chainLines(_ chain: [Diagnosis.BlockedWait]) -> [String] {
    Self.limited(chainLinesUncut(chain), "threads")
  }

  /// The waits of a chain, and the wait that ends it.
  func chainLines(
    _ chain: [Diagnosis.BlockedWait], endingWith innermost: Diagnosis.Party?
  ) -> [String] {
    Self.limited(
      chainLinesUncut(chain) + (innermost.map { waitLines([$0]) } ?? []), "threads")
  }

  private func chainLinesUncut(_ chain: [Diagnosis.BlockedWait]) -> [String] {
    chain.compactMap(line)
  }

  /// `thread 1 (main) waits for the group made at A.swift:3 at A.swift:9, which thread 7 is in`.
  private func line(of link: Diagnosis.BlockedWait) -> String? {
    guard let thread = thread(link.waiter), let wait = thread.wait else { return nil }
    return "\(names.party(link.waiter)) \(names.waiting(wait))\(PlaceText.at(wait.place))"
      + comma(link, wait)
  }

  /// The reason for a thread's wait, after a comma; empty if the wait itself names the awaited
  /// thread.
  func comma(_ link: Diagnosis.BlockedWait, _ wait: WaitSnapshot.Wait) -> String {
    if case .end = link.gate, wait.kind == .thread { return "" }
    return ", " + reason(link.gate, wait, by: link.keeper)
  }

  /// The reason for a thread's wait, as in `which thread 13 holds since Cache.swift:20`.
  private func reason(
    _ gate: Diagnosis.Gate, _ wait: WaitSnapshot.Wait, by party: Diagnosis.Party
  ) -> String {
    let name = names.party(party)
    let keeper = thread(party)
    switch gate {
    case .lock where wait.kind == .actor: return "which \(name) is on"
    case .lock, .writers, .readersAndWriters, .semaphore:
      let held = keeper?.held.last { $0.object == wait.object }
      return "which \(name) holds" + since(held?.place)
    case .writeWaiters, .barrierWaiters: return "behind \(name), which waits to be alone"
    case .queue(let queue), .runners(let queue):
      guard let run = keeper?.runs.last(where: { isBelow($0.queue, queue) }) else {
        return "which \(name) is on"
      }
      let on =
        run.queue == wait.object
        ? "which \(name) is on" : "and \(name) is on \(names.queue(run.queue))"
      return on + since(run.place)
    case .main: return "which only \(name) runs"
    case .apply: return "one of which \(name) is in"
    case .children: return "one of which is \(name)"
    case .end, .jobs: return "which is \(name)"
    case .workItem, .members: return "which \(name) is in"
    case .started(let starter) where keeper?.startedBy == starter && keeper?.runs.isEmpty == true:
      return "and has started \(name)"
    case .started: return "and \(name) is in a block that it has enqueued"
    }
  }

  /// ` since Cache.swift:20  get(_:)`; empty if the place is unknown.
  func since(_ place: [StackFrame]?) -> String {
    place.flatMap(PlaceText.place).map { " since " + $0 } ?? ""
  }

  /// True if the two queues are equal, or the first targets the second.
  func isBelow(_ queue: WaitIndex.ObjectID, _ target: WaitIndex.ObjectID) -> Bool {
    guard let number = index.queueAt[queue] else { return queue == target }
    return index.chains[number].contains { index.queues[$0].id == target }
  }
}
