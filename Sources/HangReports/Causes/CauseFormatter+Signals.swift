import Interlock
import Hangs

extension CauseFormatter {
  func lostSignal(
    _ object: Diagnosis.Object, _ waiters: [Diagnosis.Party], _ chain: [Diagnosis.BlockedWait],
    _ listeners: [WaitIndex.ObjectID], _ others: [Diagnosis.Party]
  ) -> Lines {
    let what =
      switch object.kind {
      case .semaphore: "signal the semaphore"
      case .group: "leave the group"
      case .condition: "wake the condition"
      case let kind where kind.isLock: "unlock the \(SnapshotNames.name(kind))"
      case let kind: "end the wait for the \(SnapshotNames.name(kind))"
      }
    var details = chainLines(chain) + waitLines(waiters)
    details += object.kind.isSignal ? signalLines(object) : holderLines(object.id)
    details += waitLines(others)
    details += taskLines(listeners, .stream, " for an AsyncStream's next element")
    return ("no thread can \(what) that \(subject(waiters)) for", details)
  }

  /// `thread 7 waits`, `3 threads wait`.
  private func subject(_ waiters: [Diagnosis.Party]) -> String {
    waiters.count == 1
      ? "\(names.party(waiters[0])) waits" : "\(Counted.noun(waiters.count, "thread")) wait"
  }

  /// The known facts about earlier signals.
  private func signalLines(_ object: Diagnosis.Object) -> [String] {
    guard let signal = index.signals[object.id] else { return [] }
    var lines: [String] = []
    if let made = names.makers.place(of: signal) { lines.append("made at \(made)") }
    let isGroup = object.kind == .group
    if isGroup {
      lines.append("entered \(times(signal.enters)), left \(times(signal.releases))")
      lines += places(signal.enterPlaces, "entered at")
    } else if signal.releases == 0 {
      lines.append("no thread has signalled it")
    } else {
      lines.append("signalled \(times(signal.releases)), waited for \(times(signal.waits))")
    }
    return lines + places(signal.releasePlaces, (isGroup ? "left" : "signalled") + " earlier at")
  }

  private func times(_ count: Int) -> String { Counted.noun(count, "time") }

  private func places(_ places: [StackFrame], _ verb: String) -> [String] {
    places.prefix(4).compactMap { PlaceText.place([$0]).map { "\(verb) \($0)" } }
  }

  func abandonedLock(
    _ lock: Diagnosis.Object, _ owner: Diagnosis.LockOwner, _ waiters: [Diagnosis.Party],
    _ chain: [Diagnosis.BlockedWait], _ others: [Diagnosis.Party]
  ) -> Lines {
    let went =
      switch owner {
      case .ended(let thread): "\(endedOwner(thread, of: lock.id)) ended"
      case .continued(let holders): "\(holders.first.map(names.party) ?? "a thread") continued"
      }
    return (
      "\(went) without unlocking \(names.object(lock)), which \(subject(waiters)) for",
      chainLines(chain) + waitLines(waiters) + holderLines(lock.id) + waitLines(others)
    )
  }

  private func endedOwner(_ thread: Int, of lock: WaitIndex.ObjectID) -> String {
    SnapshotNames.thread(thread, index.leftLocks[lock]?.threadName ?? "")
  }

  private func state(ofHolder holder: WaitSnapshot.Thread) -> String {
    if holder.elsewhere == .idle, holder.wait == nil { return ", and has no work" }
    return holder.runs.isEmpty ? ", and sleeps" : ", from a block that has ended"
  }

  /// The idle, busy or ended thread that has not released a lock.
  private func holderLines(_ lock: WaitIndex.ObjectID) -> [String] {
    if let left = index.leftLocks[lock] {
      guard let place = PlaceText.placeAndCaller(left.place) else { return [] }
      return ["\(endedOwner(left.thread, of: lock)) took it at \(place)"]
    }
    guard let holders = index.leavers[lock] ?? index.holders[lock] else {
      return ["no live thread is known to hold it: its owner may have ended without unlocking it"]
    }
    return holders.prefix(4).map { number in
      let holder = index.threads[number]
      let held = holder.held.last { $0.object == lock }
      let place = held.flatMap { PlaceText.placeAndCaller($0.place) }
      return "\(names.party(index.party(number))) holds it"
        + (place.map { " since " + $0 } ?? "")
        + state(ofHolder: holder)
    }
  }
}
