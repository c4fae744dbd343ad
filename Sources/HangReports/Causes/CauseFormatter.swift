import Interlock
import Hangs

/// Formats the cause of a diagnosis: a headline, details and advice.
struct CauseFormatter {
  /// The lines of one cause.
  typealias Lines = (headline: String, details: [String])

  let diagnosis: Diagnosis
  let names: SnapshotNames
  var index: WaitIndex { names.index }

  /// The most lines of details; the last one counts the rest.
  static let mostDetails = 40

  init(_ diagnosis: Diagnosis, _ names: SnapshotNames) {
    self.diagnosis = diagnosis
    self.names = names
  }

  var headline: String { cause.headline }

  /// The lines of the cause, and the reason why it is not certain.
  var lines: Lines {
    let cause = cause
    return (cause.headline, Self.limited(cause.details, "lines") + [note].compactMap { $0 })
  }

  private var cause: Lines {
    switch diagnosis.evidence {
    case .cycle(let waits, let others): cycle(waits, others)
    case .signalCycle(let waiter, _, let object, let blocked):
      signalCycle(waiter, object, blocked)
    case .suspendedHolder(let task, _, let lock, let waiters, let others):
      suspendedHolder(task, lock, waiters, others)
    case .blockedActor(let actor, let holder, let signal, let entering, let others):
      blockedActor(actor, holder, signal, entering, others)
    case .selfWait(let party, let gate, let object): selfWait(party, gate, object)
    case .ownCall(let thread, let object, let traps): ownCall(thread, object, traps)
    case .starvation(let pool): starvation(pool)
    case .lostSignal(let object, let waiters, let chain, let listeners, let others):
      lostSignal(object, waiters, chain, listeners, others)
    case .suspendedQueue(let queue, let queued, let calls, let others):
      suspendedQueue(queue, queued, calls, others)
    case .suspendedTasks(let kind, let signals, let others): suspendedTasks(kind, signals, others)
    case .abandonedLock(let lock, let owner, let waiters, let chain, let others):
      abandonedLock(lock, owner, waiters, chain, others)
    case .asleep(let threads): asleep(threads)
    case .stuck(let parties): stuck(parties)
    }
  }

  private func asleep(_ threads: [Diagnosis.Party]) -> Lines {
    (
      "\(Counted.noun(threads.count, "thread")) \(threads.count == 1 ? "sleeps" : "sleep"), "
        + "and the reason is not known",
      Self.limited(
        threads.map { names.party($0) + PlaceText.at(thread($0)?.stack ?? []) }, "threads")
    )
  }

  private func stuck(_ parties: [Diagnosis.Party]) -> Lines {
    (
      "\(SnapshotNames.count(parties)) \(parties.count == 1 ? "waits" : "wait") for ever",
      waitLines(parties)
    )
  }

  /// The reason why a cause is certain or not; `nil` if it needs no mention.
  private var note: String? {
    switch diagnosis.certainty {
    case .certain, .doubtful(.unknownCause): nil
    case .certainIfBlocksAreAlike:
      "certain if the queued blocks of the same code wait as these do"
    case .doubtful(.mayListen):
      "not certain: an idle process looks the same"
    case .doubtful(.poolGrows) where diagnosis.pool?.completesHere == false:
      "not certain: a queued block may do something else than those that wait"
    case .doubtful(.poolGrows):
      "not certain: the pool gets one more thread a second while all its threads wait"
    case .doubtful(.timerIsSet): "not certain: a timer is set, which may end it"
    case .doubtful(.unseenCode): "not certain: code may run that was not observed"
    }
  }
}

// Helpers shared by all causes.

extension CauseFormatter {
  /// A thread or task of the snapshot.
  func thread(_ party: Diagnosis.Party) -> WaitSnapshot.Thread? {
    index.position(of: party).map { index.threads[$0] }
  }

  /// The wait of a thread or task.
  func wait(of party: Diagnosis.Party) -> WaitSnapshot.Wait? { thread(party)?.wait }

  /// The first lines. If there are too many, the last line counts the rest.
  static func limited(_ lines: [String], of total: Int? = nil, _ what: String) -> [String] {
    let total = total ?? lines.count
    guard total > mostDetails else { return lines }
    let shown = lines.prefix(mostDetails - 1)
    return shown + ["… and \(Counted.noun(total - shown.count, "more " + what))"]
  }

  /// The distinct texts with their counts, the most frequent first.
  static func counted(_ texts: [String]) -> [(text: String, count: Int)] {
    var counts: [String: Int] = [:]
    for text in texts { counts[text, default: 0] += 1 }
    return counts.map { (text: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }
}
