import Interlock

extension Finder {
  /// Threads that wait for a lock which its owner did not release: the owner ended, or went on and
  /// is idle.
  func abandonedLock(_ chains: WaitChains) -> Finding? {
    guard let waiters = mostWaitedFor(liveness.stuck.filter(waitsForAbandonedLock)),
      let wait = index.threads[waiters[0]].wait
    else { return nil }
    let lock = words.object(wait.kind, wait.object)
    let who =
      waiters.count == 1
      ? "\(words.thread(waiters[0])) waits" : "\(Counted.noun(waiters.count, "thread")) wait"
    var result: Finding
    if let left = index.leftLocks[wait.object] {
      result = finding(
        .abandonedLock, "\(Self.owner(left)) ended without unlocking \(lock), which \(who) for")
    } else {
      let holder = index.holders[wait.object]?.first.map(words.thread) ?? "a thread"
      result = finding(
        .abandonedLock, "\(holder) went on without unlocking \(lock), which \(who) for")
    }
    let chain = chainLines(to: waiters, chains)
    result.details = chain.lines + waitLines(waiters) + holderLines(wait)
    result.details += waitLines(
      liveness.stuck.filter {
        !WaitIndex.contains($0, in: waiters) && !chain.members.contains($0)
      })
    result.advice = [Self.unlockAdvice]
    result.markedThreads = Set(waiters + (index.holders[wait.object] ?? []))
    result.markedObjects = [wait.object]
    return result
  }

  static let unlockAdvice =
    "safe when: every way out of the code that locks it unlocks it, on the same thread"

  private static func owner(_ left: WaitSnapshot.LeftLock) -> String {
    left.threadName.isEmpty
      ? "thread \(left.thread)" : "thread \(left.thread) \"\(Printable.label(left.threadName))\""
  }

  private func waitsForAbandonedLock(_ number: Int) -> Bool {
    guard let wait = index.threads[number].wait else { return false }
    if index.leftLocks[wait.object] != nil { return true }
    guard wait.isForLock, let holders = index.holders[wait.object] else { return false }
    // An idle thread is in no code that could still unlock.
    return holders.allSatisfy {
      let holder = index.threads[$0]
      return holder.wait == nil && holder.elsewhere == .idle && holder.runs.isEmpty
    }
  }

  /// Whether a thread waits for a lock that no thread is known to hold, or only idle threads.
  func waitsForForgottenLock(_ number: Int) -> Bool {
    guard let wait = index.threads[number].wait, wait.isForLock else { return false }
    return (index.holders[wait.object] ?? []).allSatisfy { index.threads[$0].wait == nil }
  }

  /// The threads that wait for the object for which most of them wait; of several such objects, for
  /// that of the thread with the lowest number.
  func mostWaitedFor(_ waiters: [Int]) -> [Int]? {
    let byObject = Dictionary(grouping: waiters) { index.threads[$0].wait?.object ?? 0 }
    return byObject.values.min { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }

  /// The idle or ended thread that has not released a lock.
  func holderLines(_ wait: WaitSnapshot.Wait) -> [String] {
    if let left = index.leftLocks[wait.object] {
      guard let place = Wording.placeAndCaller(left.place) else { return [] }
      return ["\(Self.owner(left)) took it at \(place)"]
    }
    guard let holders = index.holders[wait.object] else {
      return ["no live thread is known to hold it: its owner may have ended without unlocking it"]
    }
    return holders.prefix(4).map { number in
      let held = index.threads[number].held.last { $0.object == wait.object }
      let place = held.flatMap { Wording.placeAndCaller($0.place) }
      return "\(words.thread(number)) holds it" + (place.map { " since " + $0 } ?? "")
        + (index.threads[number].elsewhere == .idle ? ", and has no work" : ", and sleeps")
    }
  }
}

extension WaitSnapshot.Wait {
  /// Whether it ends when the thread that holds a lock releases it.
  var isForLock: Bool {
    switch kind {
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock: true
    default: false
    }
  }
}
