import Foundation
import Interlock
import ProcessInspection
import Hangs

/// Decides whether a child has stalled: at once if the child's own monitor is certain, otherwise by
/// the system's data about its threads over the stall window.
struct StallWatch {
  /// The seconds between two samples of the child's timers while no call completes.
  private static let timerLookSeconds = 0.2
  /// The seconds between two comparisons of the threads while a stall is suspected.
  private static let closerLookSeconds = 0.1
  /// The seconds for which the child's report of its threads is valid.
  private static let waitsAge = 1.0
  /// The seconds for which the child's report of its pools is valid; pools change once a second.
  private static let poolAge = 3.0

  private let child: ChildProcess
  private let operations: Int
  private let symbolicate: RawStacks.Symbolicate
  private var detector: StallDetector
  private var nextCloserLook = 0.0
  private var nextTimerLook = 0.0
  /// The last report of the child's monitor.
  private var waits: WaitSnapshot?
  private var isOnlySlow = false
  private var waitsAt = -Double.infinity
  /// The context switch counts of threads in a timed wait that were found to be idle pool workers.
  /// They stay idle until they wake up.
  private var idle: [Int: Int] = [:]

  init(_ child: ChildProcess, of trial: Trial, symbolicate: @escaping RawStacks.Symbolicate) {
    self.child = child
    self.symbolicate = symbolicate
    operations = trial.scenario.workload.operationCount
    detector = StallDetector(stallSeconds: trial.scenario.limits.stallSeconds)
  }

  /// True if the child only waits, and needs no processor for the moment.
  var isAsleep: Bool { detector.isAsleep }

  /// Handles a report of the child's monitor.
  ///
  /// - Returns: The seconds without progress, if the child will never make any; otherwise `nil`.
  mutating func note(
    _ snapshot: WaitSnapshot, isCertain: Bool, isOnlySlow: Bool
  ) -> Double? {
    waits = snapshot
    waitsAt = Platform.now
    self.isOnlySlow = isOnlySlow
    // Leave a synchronous call on the thread's own queue alone: libdispatch traps there, as it
    // would without this runner.
    guard isCertain, snapshot.selfWait?.traps != true else { return nil }
    return min(max(0, snapshot.quietSeconds), waitsAt - child.startedAt)
  }

  /// Samples the child.
  ///
  /// - Parameters:
  ///   - seconds: The time since the child's start.
  ///   - whole: The child's process at this moment.
  /// - Returns: The seconds without progress, if the child has stalled; otherwise `nil`.
  mutating func look(at seconds: Double, _ whole: Platform.Process) -> Double? {
    let completed = child.table.completed(of: operations)
    let ignored = child.table.ignoredThreads
    // Exclude the processor time of the harness's own threads.
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
    // The child will continue if every thread waits for a pool that will get the threads it needs,
    // here and on Apple's systems.
    if isOnlySlow, Platform.now - waitsAt < Self.poolAge { return nil }
    for thread in threads where wakesByItself(thread) { return nil }
    // The threads were sampled one after another. Only if none has moved meanwhile do the samples
    // show one moment. A call that has just completed leaves its thread idle, which looks like a
    // thread that waits forever.
    guard child.table.completed(of: operations) == completed, !hasAnyMoved(since: threads) else {
      return nil
    }
    return Platform.now - child.startedAt - detector.lastProgress
  }

  /// True if a thread has started, ended or been woken since it was sampled, except by the sample
  /// itself.
  private func hasAnyMoved(since threads: [Platform.Thread]) -> Bool {
    let now = child.threads
    guard now.count == threads.count else { return true }
    let before = Dictionary(
      threads.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first })
    return now.contains { thread in
      // Ignore one wake-up of an idle worker: the sample itself causes it.
      thread.state != .sleeping
        || thread.switches != max(before[thread.id] ?? -1, idle[thread.id] ?? -1)
    }
  }

  /// The seconds until each of the user's timers expires.
  ///
  /// On Linux, Dispatch has one descriptor per clock for all timers, set for the earliest of them.
  /// While a pool worker waits, the pool monitor's one-second timer shares the descriptor of the
  /// monotonic clock. A user's timer on that clock (`asyncAfter`, a timer source) is then invisible
  /// until it is the earliest, and is taken for the monitor's: it expires within the default
  /// window. `Task.sleep` uses another clock.
  private func timers() -> [Double] {
    Platform.timers(of: child.process).filter { !$0.isMonotonic || $0.seconds > 1.05 }
      .map(\.seconds)
  }

  /// True if a sleeping thread will wake up without another thread.
  private mutating func wakesByItself(_ thread: Platform.Thread) -> Bool {
    switch Platform.wait(of: thread.id, in: child.process) {
    case .forever, .unknown:
      idle[thread.id] = nil
      return false
    case .wakesByItself, .input: return true
    case .listens:
      return Platform.listensOutside(child.process, ignoring: TrialHost.ownDescriptors)
    case .timedFutex:
      if idle[thread.id] == thread.switches { return false }
      // The child knows its idle workers, and reports them twice a second while it is stuck.
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

  /// True if a thread in a timed wait is an idle pool worker, which ends after the timeout: its
  /// stack has only the pool's frames. The signal that requests the stack only restarts the wait.
  private func isIdleWorker(_ thread: Platform.Thread) -> Bool {
    let capture = child.stackCapture
    guard let stack = capture.capture([thread.id], patience: 0.05)[thread.id], !stack.isEmpty
    else { return false }
    let origins = capture.origins(of: Set(stack))
    // The images suffice, unless libdispatch is linked into the executable.
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
