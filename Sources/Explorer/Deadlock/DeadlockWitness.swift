import CInterlockAnalysis
internal import CInterlockExplorer
import Hangs
import HangReports
import Interlock

/// Takes a snapshot of a deadlocked execution while its threads still hold and wait.
final class DeadlockWitness {
  private var seen: Seen?
  /// The places that set timers which were never resumed: such a timer may be the missing signal.
  private var stoppedTimers: [UInt] = []
  /// True if the body is a task. The first thread then only waits for it, and is left out.
  private let bodyIsTask: Bool

  init(bodyIsTask: Bool) { self.bodyIsTask = bodyIsTask }

  /// Starts to follow what threads hold and wait for, until the process ends. Objects made earlier
  /// have no names.
  static func start() -> Bool {
    OwnCode.register(OwnCode.hangs)
    return interlock_waits_start()
  }

  /// Called by the engine in the deadlock, on the carrier thread.
  func look() {
    let most = 256
    var system = [UInt32](repeating: 0, count: most)
    var own = [UInt32](repeating: 0, count: most)
    let count = min(interlock_explored_threads(&system, &own, most), most)
    let numbers = Dictionary(
      (0..<count).map { (Int(system[$0]), Int(own[$0])) }, uniquingKeysWith: { first, _ in first })
    // The engine has stopped all explored threads. The snapshot leaves out the other threads.
    var taker = SnapshotTaker()
    taker.stoppedThreads = Set(numbers.keys)
    var snapshot = taker.take().snapshot
    for index in snapshot.threads.indices {
      snapshot.threads[index].title = numbers[snapshot.threads[index].id].map(Schedule.name)
      snapshot.threads[index].isMain = false
    }
    if bodyIsTask {
      snapshot.threads.removeAll { numbers[$0.id] == 0 && $0.task == nil }
    }
    // Remove the waits of the test library's own tasks and of tasks that earlier executions left.
    snapshot.awaits.removeAll { !interlock_explored_knows($0.task) }
    snapshot.signals.removeAll { $0.isWaitingTask && !interlock_explored_knows($0.id) }
    snapshot.leaveLocksOfWaitingTasks()
    // No timer is pending: a deadlock is found only after virtual time has fired them all.
    snapshot.nextTimer = nil
    snapshot.isPartial = false
    var timers = [UInt](repeating: 0, count: 8)
    let stopped = interlock_explored_stopped_timers(&timers, timers.count)
    stoppedTimers = Array(timers.prefix(stopped))
    guard let diagnosis = Diagnosis(of: snapshot) else { return }
    let objects = snapshot.signals.map(\.id) + snapshot.threads.flatMap { $0.held.map(\.object) }
    seen = Seen(
      snapshot: snapshot, diagnosis: diagnosis, threads: numbers,
      objects: Dictionary(
        objects.map { ($0, Int(interlock_explored_number($0))) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// A deadlock, with the numbers of its threads and objects in the schedule; 0 for no number.
  struct Seen: Codable {
    var snapshot: WaitSnapshot
    var diagnosis: Diagnosis
    var threads: [Int: Int]
    var objects: [WaitSnapshot.ObjectID: Int]
    /// One line for each timer that was never resumed.
    var timers: [String] = []

    /// The lines that explain the cause.
    fileprivate var lines: [String] {
      let explanation = Explanation.text(diagnosis, of: snapshot)
      let doubt = explanation.isCertain ? 0 : 1
      let lines = [explanation.headline] + explanation.details.dropLast(doubt)
      let advice =
        timers.isEmpty
        ? explanation.advice : ["safe when: a timer is resumed once it has its handler"]
      return lines + timers + advice
    }
  }

  /// The cause of a deadlock and the lines that explain it.
  struct Explained: Codable {
    var cause: Diagnosis.Cause
    /// The lines without places from the schedule. Used if the child's report has no room for
    /// `seen`.
    private var lines: [String] = []
    /// The symbolicated deadlock; `nil` after `shorten`.
    private var seen: Seen?

    fileprivate init(_ seen: Seen) {
      cause = seen.diagnosis.cause
      self.seen = seen
    }

    /// The lines, with the same places as the schedule's rows.
    func lines(in schedule: Schedule) -> [String] {
      guard var seen else { return lines }
      seen.showCallSites(of: schedule)
      return seen.lines
    }

    /// Reduces the value to its lines.
    mutating func shorten() {
      lines = seen?.lines ?? lines
      seen = nil
    }
  }

  /// The cause and its lines; `nil` if no cause was found. The first use reads debug information.
  lazy var explained: Explained? = explain()

  private func explain() -> Explained? {
    guard var seen, seen.diagnosis.cause != .unknown else { return nil }
    seen.snapshot = seen.snapshot.namedHere()
    if seen.diagnosis.cause == .lostWakeUp { seen.timers = stoppedTimers.map(Self.line) }
    return Explained(seen)
  }

  private static func line(ofTimerSetAt place: UInt) -> String {
    let frames = Schedule.Step.frame(of: [place]).map { [$0] } ?? []
    return "a timer that was set\(PlaceText.at(frames)) has not been resumed"
  }
}

extension WaitSnapshot {
  /// Marks the locks held by waiting tasks as left by them. A task gives up its thread at an
  /// `await`, and so leaves its locks behind; in an exploration it keeps the thread.
  fileprivate mutating func leaveLocksOfWaitingTasks() {
    let waiting = Set(signals.filter(\.isWaitingTask).map(\.id)).union(awaits.map(\.task))
    for thread in threads.indices {
      guard let task = threads[thread].runs.last?.task, waiting.contains(task) else { continue }
      for held in threads[thread].held.indices where !threads[thread].held[held].isLeft {
        threads[thread].held[held].isLeft = true
        threads[thread].held[held].leftBy = task
      }
    }
  }
}
