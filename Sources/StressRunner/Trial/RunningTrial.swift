import Foundation
import Interlock
import Prediction
import ProcessInspection
import Hangs

/// A trial in progress: its child, and the observation so far.
final class RunningTrial {
  /// The time between two samples of a child.
  private static let sampleSeconds = 0.02
  /// The longest time between two samples, however many threads the child has. The stall detector
  /// needs several consecutive samples.
  private static let longestSampleSeconds = 0.1
  /// The largest share of the runner's time that sampling a child may take.
  private static let sampleShare = 0.1
  /// The seconds to wait for a child to end after it has reported that it is finished.
  private static let exitPatience = 1.0
  /// The seconds to wait for a dead child that a tracer has not released.
  private static let deathPatience = 0.2
  /// The seconds that a child may take to report its end after its time is up. Reading debug
  /// information takes seconds of processor time, and the machine may be busy.
  private static let reportPatience = 60.0

  /// The trial's index in the list.
  let index: Int
  let trial: Trial
  let child: ChildProcess
  /// The time of the next sample.
  private(set) var nextSample: Double

  /// The folder of the child's temporary files and of the toolchain's backtracer's report.
  let folder: TrialFolder
  private var observation: Observation
  private var stallWatch: StallWatch
  private var endSeenAt: Double?
  private var isKilledAfterFinish = false
  private var deadSince: Double?
  /// True if the child was reporting its end when its time was up.
  private var isReporting = false
  /// True if the child's process could not be killed.
  private(set) var isLeft = false

  init(
    index: Int, trial: Trial, child: ChildProcess, folder: TrialFolder,
    seesCalls: Bool, symbolicate: @escaping RawStacks.Symbolicate
  ) {
    self.index = index
    self.trial = trial
    self.child = child
    self.folder = folder
    nextSample = child.startedAt + Self.sampleSeconds
    stallWatch = StallWatch(child, of: trial, symbolicate: symbolicate)
    observation = Observation(
      ending: .notRun(reason: ""), operations: trial.scenario.workload.operationCount)
    observation.seesCalls = seesCalls
    if trial.predicts {
      observation.prediction.state = .unavailable(
        reason: "the trial ended before prediction reported")
    }
    if trial.checksMemory { observation.memory = MemoryRecord() }
    observation.processors =
      trial.scenario.poolWidth ?? sysconf(Int32(_SC_NPROCESSORS_ONLN))
  }

  /// True if the child only waits, and needs no processor for the moment. A child that explores
  /// waits for a process of its own, which runs.
  var isAsleep: Bool { trial.explore == nil && stallWatch.isAsleep }

  /// The time that the loop may sleep before this trial needs it.
  func timeout(at now: Double) -> Double {
    // The child is ending: the system closes its pipes shortly before the child can be reaped.
    if let endSeenAt, now - endSeenAt < Self.deathPatience { return 0.001 }
    return max(0, nextSample - now)
  }

  /// Handles received events, and samples the child if that is due. Returns the ending, if the
  /// trial has ended.
  func step(at now: Double) throws(RunnerFault) -> Observation.Ending? {
    for event in child.read() {
      if let ending = try note(event) { return ending }
    }
    if child.isFloodingEvents { return .floodedEvents(bytes: child.eventBytes) }
    if child.outputBytes > Limits.outputBytes {
      return .flooded(bytes: child.outputBytes)
    }
    if endSeenAt == nil && (child.isSilent || observation.finished) { endSeenAt = now }
    if endSeenAt != nil || now >= nextSample, child.hasEnded {
      // The child's last events may have arrived since the previous read.
      for event in child.read() {
        if let ending = try note(event) { return ending }
      }
      return .exited(code: 0)
    }
    guard now >= nextSample else { return nil }
    let usedBefore = Platform.cpuOfThisThread
    let ending = try look(at: now)
    // Use processor time: on a busy machine, most of the elapsed time belongs to other processes.
    let used = Platform.cpuOfThisThread - usedBefore
    nextSample =
      Platform.now
      + min(max(Self.sampleSeconds, used / Self.sampleShare), Self.longestSampleSeconds)
    return ending
  }

  /// Kills the child if it still runs. Returns the observation, and the stacks to be symbolicated
  /// if the ending needs them.
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
    // A child that was killed because it exited slowly keeps its ending.
    if case .exited = ending, !isKilledAfterFinish, let status {
      observation.ending = Self.ending(ofStatus: status)
    }
    for event in child.read() { _ = try? note(event) }
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

  /// Handles an event. Returns the ending if the event decides it.
  private func note(_ event: ChildEvent) throws(RunnerFault) -> Observation.Ending? {
    switch event {
    case .conflict(let conflict): observation.conflicts.append(conflict)
    case .coverage(let report): observation.coverage = report
    case .memoryRace(let race): observation.memory?.add(race)
    case .memoryLost(let reason): observation.memory?.lostBecause = reason
    case .misuse(let line): observation.misuses.append(line)
    case .oracleFailure(let failure): observation.oracleFailures.append(failure)
    case .undecided(let oracles): observation.undecidedOracles = oracles
    case .script(let record): observation.script = record
    case .prediction(let record): observation.prediction = record
    case .explored(let record): observation.exploration = record
    case .hang(let sent, let isCertain, let isOnlySlow):
      let snapshot = sent.bounded
      observation.waits = snapshot
      let stall = stallWatch.note(snapshot, isCertain: isCertain, isOnlySlow: isOnlySlow)
      return endSeenAt == nil ? ending(ofStall: stall) : nil
    case .notRun(let reason): return .notRun(reason: reason)
    case .fault(let reason): throw RunnerFault(reason: reason)
    case .finished(let coverage):
      observation.coverage = coverage
      observation.finished = true
    }
    return nil
  }

  /// The ending of a trial whose child stalled, after `seconds` without progress; `nil` for `nil`.
  private func ending(ofStall seconds: Double?) -> Observation.Ending? {
    guard let seconds else { return nil }
    observation.detectionSeconds = seconds
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
      // A dead process can be sampled until it is reaped.
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
    if mebibytes > trial.memoryMebibytes {
      return .outOfMemory(mebibytes: mebibytes)
    }
    let stage = child.table.stage
    if seconds >= trial.scenario.limits.timeSeconds {
      if !isReporting { isReporting = stage == .reporting || Platform.isBacktraced(child.process) }
      let isOver = seconds >= trial.scenario.limits.timeSeconds + Self.reportPatience
      return isReporting && !isOver ? nil : .outOfTime
    }
    guard stage != .starting, stage != .reporting else { return nil }
    return ending(ofStall: stallWatch.look(at: seconds, whole))
  }

  /// True if a child has been dead for so long that another process must be its tracer.
  private func isOver(_ whole: Platform.Process, at now: Double) -> Bool {
    // This process may have become the tracer of the child's threads.
    Platform.reapTracedThreads(of: child.process)
    guard whole.threads <= 1 else { return false }
    if deadSince == nil { deadSince = now }
    return now - (deadSince ?? now) > Self.deathPatience
  }

  /// Captures the stacks of the child's threads, including those in its snapshot.
  private func captureThreads() -> RawStacks {
    let capture = child.stackCapture
    var stacks = capture.stacks(of: child.threads)
    if let snapshot = observation.waits {
      observation.waits = snapshot.withStacks(stacks.byThread)
      stacks.origins.merge(capture.origins(of: snapshot.addresses)) { first, _ in first }
    }
    return stacks
  }

  /// Decodes a wait status: Swift does not import its macros.
  private static func ending(ofStatus status: Int32) -> Observation.Ending {
    let signal = status & 0x7f
    return signal == 0 ? .exited(code: (status >> 8) & 0xff) : .signalled(number: signal)
  }

  /// The child's standard error, without the backtracer's lines about its own progress.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("*** Signal ") && !$0.hasPrefix("swift-runtime: failed to suspend") }
      .joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
