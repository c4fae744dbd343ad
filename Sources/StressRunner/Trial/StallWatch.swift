import Foundation
import Interlock
import ProcessInspection
import WaitForGraph

/// Decides whether a child has stalled: at once where its own monitor is certain, else by the
/// system's view of its threads over the stall window.
struct StallWatch {
  /// Seconds from one look at the child's timers to the next, while no call completes.
  private static let timerLookSeconds = 0.2
  /// Seconds from one comparison of the threads to the next, while a stall is suspected.
  private static let closerLookSeconds = 0.1
  /// How many seconds the child's report of its threads holds.
  private static let waitsAge = 1.0
  /// How many seconds its report of its pools holds, which change once a second.
  private static let poolAge = 3.0

  private let child: ChildProcess
  private let operations: Int
  private let symbolicate: RawStacks.Symbolicate
  private var detector: StallDetector
  private var nextCloserLook = 0.0
  private var nextTimerLook = 0.0
  /// What the child's monitor said last, and when.
  private var waits: WaitSnapshot?
  private var isOnlySlow = false
  private var waitsAt = -Double.infinity
  /// Threads that wait with a timeout, and were found to be idle ones of a pool: until they wake.
  private var idle: [Int: Int] = [:]

  init(_ child: ChildProcess, of trial: Trial, symbolicate: @escaping RawStacks.Symbolicate) {
    self.child = child
    self.symbolicate = symbolicate
    operations = trial.scenario.workload.operationCount
    detector = StallDetector(stallSeconds: trial.scenario.limits.stallSeconds)
  }

  /// Takes what the child's monitor found.
  ///
  /// - Returns: For how many seconds the child has made no progress, if it never will; else `nil`.
  mutating func note(
    _ snapshot: WaitSnapshot, isCertain: Bool, isOnlySlow: Bool
  ) -> Double? {
    waits = snapshot
    waitsAt = Platform.now
    self.isOnlySlow = isOnlySlow
    // At a call that waits for its own thread libdispatch traps, as it does without this runner.
    guard isCertain, snapshot.selfWait?.traps != true else { return nil }
    return min(max(0, snapshot.quietSeconds), waitsAt - child.startedAt)
  }

  /// Looks at the child.
  ///
  /// - Parameters:
  ///   - seconds: The time since the child's start.
  ///   - whole: The child's process at this moment.
  /// - Returns: For how many seconds the child has made no progress, if it has stalled; else `nil`.
  mutating func look(at seconds: Double, _ whole: Platform.Process) -> Double? {
    let completed = child.table.completed(of: operations)
    let ignored = child.table.ignoredThreads
    // The processor time of the harness's own threads is not the subject's.
    let ownSeconds = ignored.reduce(0) { $0 + Platform.cpuSeconds(of: $1, in: child.process) }
    var sample = StallDetector.Sample(
      seconds: seconds, completed: completed, cpuSeconds: whole.cpuSeconds - ownSeconds)
    var threads: [Platform.Thread] = []
    if detector.needsThreads(completed: completed, seconds: seconds) {
      threads = child.threads
      sample.threads = threads.map {
        .init(id: $0.id, isAsleep: $0.state == .sleeping, switches: $0.switches)
      }
      if seconds >= nextTimerLook {
        nextTimerLook = seconds + Self.timerLookSeconds
        sample.wakesAt = timers().map { seconds + $0 }.max()
      }
    }
    guard detector.feed(sample) == .suspected, seconds >= nextCloserLook else { return nil }
    nextCloserLook = seconds + Self.closerLookSeconds
    // If all wait for a pool that gets the threads it needs, here and on Apple's systems, the child
    // goes on when it has them.
    if isOnlySlow, Platform.now - waitsAt < Self.poolAge { return nil }
    for thread in threads where wakesByItself(thread) { return nil }
    // One thread was looked at after the other: only if nothing has moved meanwhile was it one
    // moment. A call that has just completed leaves its thread idle, which looks like one that
    // waits for ever.
    guard child.table.completed(of: operations) == completed, !hasAnyMoved(since: threads) else {
      return nil
    }
    return Platform.now - child.startedAt - detector.lastProgress
  }

  /// Whether a thread has come, gone or been woken since it was looked at, but by that look.
  private func hasAnyMoved(since threads: [Platform.Thread]) -> Bool {
    let now = child.threads
    guard now.count == threads.count else { return true }
    let before = Dictionary(
      threads.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first })
    return now.contains { thread in
      // The look itself wakes an idle worker, once; what it had before that is of no account.
      thread.state != .sleeping
        || thread.switches != max(before[thread.id] ?? -1, idle[thread.id] ?? -1)
    }
  }

  /// The seconds until each of the user's timers goes off.
  ///
  /// On Linux, Dispatch has one descriptor for all timers by one clock, set for the earliest of
  /// them, and its pools' monitor has a timer of one second among those by the monotonic clock
  /// while a worker of a pool waits. So one of the user's by that clock, as `asyncAfter` and a
  /// timer source set, cannot be seen while a worker waits too, until it is the next; and one that
  /// is that near by this clock is taken for the monitor's: it goes off within the default window.
  /// `Task.sleep` goes by another clock.
  private func timers() -> [Double] {
    Platform.timers(of: child.process).filter { !$0.isMonotonic || $0.seconds > 1.05 }
      .map(\.seconds)
  }

  /// Whether a thread that is asleep will go on without being woken by another.
  private mutating func wakesByItself(_ thread: Platform.Thread) -> Bool {
    switch Platform.wait(of: thread.id, in: child.process) {
    case .forever, .unknown:
      idle[thread.id] = nil
      return false
    case .wakesByItself: return true
    case .listens:
      return Platform.listensOutside(child.process, ignoring: TrialHost.ownDescriptors)
    case .timedFutex:
      if idle[thread.id] == thread.switches { return false }
      // The child knows its own idle workers; while it is stuck, it says so twice a second.
      if Platform.now - waitsAt < Self.waitsAge,
        waits?.threads.contains(where: { $0.id == thread.id && $0.elsewhere == .idle }) ?? false
      {
        return false
      }
      guard isIdleWorker(thread) else { return true }
      idle[thread.id] =
        Platform.threads(of: child.process).first { $0.id == thread.id }?.switches
        ?? thread.switches
      return false
    }
  }

  /// Whether a thread that waits with a timeout is an idle worker of a pool, which ends when the
  /// time is over: its stack has no frame but the pool's. The signal that asks for the stack only
  /// makes its wait begin again.
  private func isIdleWorker(_ thread: Platform.Thread) -> Bool {
    let capture = child.stackCapture
    guard let stack = capture.capture([thread.id], patience: 0.05)[thread.id], !stack.isEmpty
    else { return false }
    let origins = capture.origins(of: Set(stack))
    // The images alone tell, unless libdispatch is linked into the executable.
    if stack.allSatisfy({ StackFrame(address: $0, image: origins[$0]?.image).isPoolMachinery }) {
      return true
    }
    let frames = RawStacks(threads: [], origins: origins).named(symbolicate: symbolicate)
    return stack.allSatisfy { frames[$0]?.allSatisfy(\.isPoolMachinery) ?? false }
  }
}

extension ChildProcess {
  /// The child's threads, without the harness's own.
  var threads: [Platform.Thread] {
    let ignored = table.ignoredThreads
    return Platform.threads(of: process).filter { !ignored.contains($0.id) }
  }

  /// Captures stacks of the child's threads.
  var stackCapture: StackCapture {
    StackCapture(process: process, area: table.stacks, capacity: table.stackCapacity)
  }
}
