import Foundation
import Interlock
import Prediction
import ProcessInspection
import WaitForGraph

/// One trial under way: its child, what was seen of it up to now, and whether it is over.
final class RunningTrial {
  /// A child is looked at so often.
  private static let sampleSeconds = 0.02
  /// Nor less often, however many threads it has: the stall detector needs a few looks in a row.
  private static let longestSampleSeconds = 0.1
  /// Looking at a child may take this part of the runner's time.
  private static let sampleShare = 0.1
  /// Its timers are looked at so often while no call completes.
  private static let timerLookSeconds = 0.2
  /// What a child has said of its threads holds for so many seconds.
  private static let waitsAge = 1.0
  /// The same of what it has said of its pools, which change once a second.
  private static let poolAge = 3.0
  /// A child that has said that it is finished ends at once; if it does not, it is not waited for.
  private static let exitPatience = 1.0
  /// One that is dead, but kept by a process that traces it, is not waited for either.
  private static let deathPatience = 0.2

  /// The trial's number in the list.
  let index: Int
  let trial: Trial
  let child: ChildProcess
  /// When to look again.
  private(set) var nextSample: Double

  /// Where the child's temporary files are, and what the toolchain's backtracer writes.
  let folder: TrialFolder
  private let symbolicate: RawStacks.Symbolicate
  private var observation: Observation
  private var detector: StallDetector
  private var endSeenAt: Double?
  private var nextCloserLook = 0.0
  private var isKilledAfterFinish = false
  private var nextTimerLook = 0.0
  private var deadSince: Double?
  /// Whether the child's process could not be ended.
  private(set) var isLeft = false
  /// When the child last said who waits for whom.
  private var waitsAt = -Double.infinity
  /// Threads that wait with a timeout, and were found to be idle ones of a pool: until they wake.
  private var idle: [Int: Int] = [:]

  init(
    index: Int, trial: Trial, child: ChildProcess, folder: TrialFolder,
    seesCalls: Bool, symbolicate: @escaping RawStacks.Symbolicate
  ) {
    self.index = index
    self.trial = trial
    self.child = child
    self.folder = folder
    self.symbolicate = symbolicate
    nextSample = child.startedAt + Self.sampleSeconds
    detector = StallDetector(stallSeconds: trial.scenario.limits.stallSeconds)
    observation = Observation(
      ending: .notRun(reason: ""), operations: trial.scenario.workload.operationCount)
    observation.seesCalls = seesCalls
    if trial.predicts {
      observation.prediction.state = .unavailable(reason: "the trial ended before it could be told")
    }
    observation.processors =
      trial.scenario.poolWidth ?? sysconf(Int32(_SC_NPROCESSORS_ONLN))
  }

  /// How long the loop may sleep for this trial's sake.
  func timeout(at now: Double) -> Double {
    // It is ending: the system closes its pipes a moment before it can be waited for.
    if let endSeenAt, now - endSeenAt < Self.deathPatience { return 0.001 }
    return max(0, nextSample - now)
  }

  /// Takes what has come, looks at the child if it is time to, and says how it ended, if it has.
  func step(at now: Double) throws(RunnerFault) -> Observation.Ending? {
    for event in child.read() {
      if let ending = note(event) { return ending }
    }
    if child.isFloodingEvents { return .floodedEvents(bytes: child.eventBytes) }
    if child.outputBytes > Limits.outputBytes {
      return .flooded(bytes: child.outputBytes)
    }
    if endSeenAt == nil && (child.isSilent || observation.finished) { endSeenAt = now }
    if endSeenAt != nil || now >= nextSample, child.hasEnded {
      // Its last words may have come between the two.
      for event in child.read() {
        if let ending = note(event) { return ending }
      }
      return .exited(code: 0)
    }
    guard now >= nextSample else { return nil }
    let usedBefore = Platform.cpuOfThisThread
    let ending = try look(at: now)
    // In processor time: on a busy machine, the time that passes is mostly that of others.
    let used = Platform.cpuOfThisThread - usedBefore
    nextSample =
      Platform.now
      + min(max(Self.sampleSeconds, used / Self.sampleShare), Self.longestSampleSeconds)
    return ending
  }

  /// Ends the child if it still runs, and gives all that was seen; the threads, where there is need
  /// to know what they did, are still to be named.
  func finish(
    _ ending: Observation.Ending
  ) -> (observation: Observation, stacks: RawStacks?) {
    let process = child.process
    var stacks: RawStacks?
    if case .stalled = ending { stacks = captureThreads() }
    if case .outOfTime = ending { stacks = captureThreads() }
    observation.ending = ending
    let status = child.end()
    isLeft = status == nil
    // What a child that is slow to end dies of then is this kill.
    if case .exited = ending, !isKilledAfterFinish, let status {
      observation.ending = Self.ending(ofStatus: status)
    }
    for event in child.read() { _ = note(event) }
    let now = Platform.now
    observation.seconds = now - child.startedAt
    observation.completed = child.table.completed(of: observation.operations)
    let callers = child.table.callers(in: trial.scenario.workload)
    observation.callersInside = callers.inside
    observation.callersWaiting = callers.waiting
    if case .signalled = observation.ending {
      observation.crash = CrashReport.crash(of: process, in: folder)
    }
    observation.errorOutput = Self.text(child.errorOutput)
    child.dispose()
    return (observation, stacks)
  }

  /// Takes note of an event; gives the ending, where it decides that.
  private func note(_ event: ChildEvent) -> Observation.Ending? {
    switch event {
    case .conflict(let conflict): observation.conflicts.append(conflict)
    case .exercise(let report): observation.exercise = report
    case .misuse(let line): observation.misuses.append(line)
    case .oracleFailure(let failure): observation.oracleFailures.append(failure)
    case .undecided(let oracles): observation.undecidedOracles = oracles
    case .script(let record): observation.script = record
    case .prediction(let record): observation.prediction = record
    case .hang(let snapshot, let isCertain): return note(snapshot, isCertain: isCertain)
    case .notRun(let reason): return .notRun(reason: reason)
    case .finished(let exercise):
      observation.exercise = exercise
      observation.finished = true
    }
    return nil
  }

  /// Takes note of who waits for whom, and ends the trial where that is for ever.
  private func note(_ snapshot: WaitSnapshot, isCertain: Bool) -> Observation.Ending? {
    observation.waits = snapshot
    waitsAt = Platform.now
    // What libdispatch ends itself, it is left to end: that is what happens without this runner.
    guard isCertain, snapshot.selfWait?.traps != true, endSeenAt == nil else { return nil }
    observation.detectionSeconds = min(max(0, snapshot.quietSeconds), waitsAt - child.startedAt)
    return .stalled
  }

  private func look(at now: Double) throws(RunnerFault) -> Observation.Ending? {
    let seconds = now - child.startedAt
    if let endSeenAt, observation.finished, now - endSeenAt > Self.exitPatience {
      isKilledAfterFinish = true
      return .exited(code: 0)
    }
    guard let whole = Platform.process(child.process) else {
      let reason = errno
      // Until it is reaped the system tells of it.
      guard !child.hasEnded else { return nil }
      throw RunnerFault(
        reason: "a child could not be watched: \(String(cString: strerror(reason)))")
    }
    if whole.isMainThreadDead, isOver(whole, at: now) { return .exited(code: 0) }
    if whole.threads > 0, observation.threadCounts.last?.threads != whole.threads,
      observation.threadCounts.count < 4096
    {
      observation.threadCounts.append(.init(seconds: seconds, threads: whole.threads))
    }
    let mebibytes = whole.residentBytes >> 20
    if mebibytes > trial.scenario.limits.memoryMebibytes {
      return .outOfMemory(mebibytes: mebibytes)
    }
    if seconds >= trial.scenario.limits.timeSeconds { return .outOfTime }
    guard child.table.stage != .starting else { return nil }
    return hasStalled(at: seconds, whole) ? .stalled : nil
  }

  /// Whether a child is dead, and for so long that it must be another process than this one that
  /// keeps it.
  private func isOver(_ whole: Platform.Process, at now: Double) -> Bool {
    // Where this process has become the tracer of its threads.
    Platform.reapTracedThreads(of: child.process)
    guard whole.threads <= 1 else { return false }
    if deadSince == nil { deadSince = now }
    return now - (deadSince ?? now) > Self.deathPatience
  }

  private func hasStalled(at seconds: Double, _ whole: Platform.Process) -> Bool {
    let completed = child.table.completed(of: observation.operations)
    // What the harness's own threads do there is not the subject's.
    let ownSeconds = child.table.ignoredThreads.reduce(0) {
      $0 + Platform.cpuSeconds(of: $1, in: child.process)
    }
    var sample = StallDetector.Sample(
      seconds: seconds, completed: completed, cpuSeconds: whole.cpuSeconds - ownSeconds)
    var threads: [Platform.Thread] = []
    if detector.needsThreads(completed: completed, seconds: seconds) {
      let ignored = child.table.ignoredThreads
      threads = Platform.threads(of: child.process).filter { !ignored.contains($0.id) }
      sample.threads = threads.map {
        .init(id: $0.id, isAsleep: $0.state == .sleeping, switches: $0.switches)
      }
      if seconds >= nextTimerLook {
        nextTimerLook = seconds + Self.timerLookSeconds
        sample.wakesAt = timers().map { seconds + $0 }.max()
      }
    }
    guard detector.feed(sample) == .suspected, seconds >= nextCloserLook else { return false }
    nextCloserLook = seconds + 0.1
    if isOnlySlow { return false }
    guard !threads.contains(where: wakesByItself) else { return false }
    // One thread was looked at after the other: only if nothing has moved meanwhile was it one
    // moment. A call that has just completed leaves its thread idle, which looks like one that
    // waits for ever.
    guard child.table.completed(of: observation.operations) == completed,
      !hasAnyMoved(since: threads)
    else { return false }
    observation.detectionSeconds = Platform.now - child.startedAt - detector.lastProgress
    return true
  }

  /// Whether all wait for a pool that gets the threads it needs, here and on Apple's systems: then
  /// the child goes on when it has them.
  private var isOnlySlow: Bool {
    guard let waits = observation.waits, Platform.now - waitsAt < Self.poolAge else { return false }
    return Diagnosis(of: waits)?.pool?.isOnlySlow ?? false
  }

  /// Whether a thread has come, gone or been woken since it was looked at, but by that look.
  private func hasAnyMoved(since threads: [Platform.Thread]) -> Bool {
    let ignored = child.table.ignoredThreads
    let now = Platform.threads(of: child.process).filter { !ignored.contains($0.id) }
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
  private func wakesByItself(_ thread: Platform.Thread) -> Bool {
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
        observation.waits?.threads.contains(where: { $0.id == thread.id && $0.elsewhere == .idle })
          ?? false
      {
        return false
      }
      // An idle worker of a pool waits with a timeout too, and ends when it is over. It runs
      // nobody's code, which its stack shows; the signal only makes its wait begin again.
      let capture = stackCapture
      guard let stack = capture.capture([thread.id], patience: 0.05)[thread.id], !stack.isEmpty
      else { return true }
      let origins = capture.origins(of: Set(stack))
      // The images alone tell, unless libdispatch is linked into the executable.
      var isIdle = stack.allSatisfy {
        StackFrame(address: $0, image: origins[$0]?.image).isPoolMachinery
      }
      if !isIdle {
        let frames = RawStacks(threads: [], origins: origins).named(symbolicate: symbolicate)
        isIdle = stack.allSatisfy { frames[$0]?.allSatisfy(\.isPoolMachinery) ?? false }
      }
      guard isIdle else { return true }
      idle[thread.id] =
        Platform.threads(of: child.process).first { $0.id == thread.id }?.switches
        ?? thread.switches
      return false
    }
  }

  private var stackCapture: StackCapture {
    StackCapture(
      process: child.process, area: child.table.stacks, capacity: child.table.stackCapacity)
  }

  /// The stacks of the child's threads; those of its snapshot get theirs too.
  private func captureThreads() -> RawStacks {
    let ignored = child.table.ignoredThreads
    let threads = Platform.threads(of: child.process).filter { !ignored.contains($0.id) }
    var stacks = stackCapture.stacks(of: threads)
    if let snapshot = observation.waits {
      observation.waits = snapshot.withStacks(stacks.byThread)
      stacks.origins.merge(stackCapture.origins(of: snapshot.addresses)) { first, _ in first }
    }
    return stacks
  }

  /// A wait status by hand: its macros are not imported.
  private static func ending(ofStatus status: Int32) -> Observation.Ending {
    let signal = status & 0x7f
    return signal == 0 ? .exited(code: (status >> 8) & 0xff) : .signalled(number: signal)
  }

  /// The child's words, without those that the backtracer adds about its own work.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("*** Signal ") && !$0.hasPrefix("swift-runtime: failed to suspend") }
      .joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
