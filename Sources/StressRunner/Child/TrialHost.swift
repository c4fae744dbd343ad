import CInterlockHarness
import Dispatch
import Foundation
import Hangs
import Interlock
import Prediction
import ProcessInspection

/// The child's side of a trial: the work of this executable when the runner has started it.
package enum TrialHost {
  /// The environment variable that the runner sets in a child and nowhere else.
  static let variable = "INTERLOCK_TRIAL"
  /// The environment variable that disables the interposition of waiting and waking calls in a
  /// child if it is `off`.
  package static let eventsVariable = "INTERLOCK_EVENTS"
  /// The descriptors at which a child finds the memory shared with its parent, and the event pipe.
  static let tableDescriptor: Int32 = 3
  static let eventDescriptor: Int32 = 4
  /// The descriptor at which a child asks the runner for the names of addresses.
  static let symbolDescriptor: Int32 = 5
  /// The descriptors that a child inherits. The runner never wakes the child through these.
  static let ownDescriptors: Set<Int> = [0, 1, 2, Int(tableDescriptor), Int(eventDescriptor)]

  /// True if the runner can follow the calls of a child with this environment. The child runs this
  /// same executable.
  static func seesCalls(in environment: [String: String]) -> Bool {
    InterposedCalls.blindness == nil && environment[eventsVariable] != "off"
  }

  /// If the runner has started this process for a trial, runs the trial and ends the process.
  /// Otherwise returns at once.
  ///
  /// Call it first in `main`, before the program creates a thread.
  package static func runIfChild(subjects: [SubjectEntry]) {
    guard getenv(variable) != nil else { return }
    OwnCode.register(OwnCode.stressRunner)
    // If the subject starts this executable again, that process must not run a trial.
    unsetenv(variable)
    runTrial(subjects: subjects)
  }

  private static func runTrial(subjects: [SubjectEntry]) -> Never {
    guard let table = ProgressTable.open(tableDescriptor) else {
      fail("the memory that the trial shares with its runner is not there")
    }
    let events = EventPipe(descriptor: eventDescriptor)
    prepareProcess(table: table)
    guard let trial = table.trial else {
      end(events, .fault("a trial could not be read by its child process"))
    }
    guard let entry = subjects.first(where: { $0.name == trial.subject }) else {
      end(events, .notRun("there is no subject '\(trial.subject)' in this executable"))
    }
    limitMemory(for: trial)
    // Start before the subject creates its locks.
    if trial.predicts, seesCalls(in: ProcessInfo.processInfo.environment) { Predictor.start() }
    let memory = trial.checksMemory ? MemoryWatch(reportingTo: events) : nil
    if let reason = memory?.start() { end(events, .fault("memory cannot be checked: \(reason)")) }
    let monitor =
      trial.explore == nil
      ? watchForHangs(table: table, predicts: trial.predicts, reportingTo: events) : nil
    watchSections(reportingTo: SectionWatch(reportingTo: events, table))
    // The main run loop opens descriptors when it first runs, and traps if the subject has
    // forbidden them by then.
    _ = RunLoop.main.run(mode: .default, before: .distantPast)
    // Use a separate thread, so that a subject may use the main queue and the main actor.
    let isStarted = DedicatedThread.startDetached {
      interlock_name_thread("workload")
      perform(
        trial, on: entry, table: table, events: events, watchedBy: monitor, memory: memory)
    }
    if !isStarted {
      end(events, .fault("the system refuses a trial the thread for its workload, see 'ulimit -u'"))
    }
    Platform.serveMainQueue()
  }

  private static func perform(
    _ trial: Trial, on entry: SubjectEntry, table: ProgressTable, events: EventPipe,
    watchedBy monitor: HangMonitor?, memory: MemoryWatch?
  ) -> Never {
    let subject = entry.make()
    let needed = trial.scenario.workload.kinds
    let missing = needed.filter { !subject.supports($0) }
    guard missing.isEmpty else {
      let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
      end(events, .notRun("'\(trial.subject)' does not have: \(names)"))
    }

    if let request = trial.explore { explore(request, trial, on: entry, events: events) }
    if let monitor { table.ignoredThreads.insert(monitor.threadNumber) }
    table.stage = .running
    let failures: [Observation.OracleFailure]
    let noteUndecided = { events.send(.undecided($0)) }
    if let script = trial.scenario.workload.script {
      let outcome = runScript(
        trial.scenario, script, on: subject, reporting: table, ignoring: table.ignoredThreads,
        beforeCalls: { SectionTracking.coverage = true }, afterCalls: stopCoverage,
        noteUndecided: noteUndecided)
      failures = outcome.failures
      events.send(.script(outcome.record))
    } else {
      failures = runWorkload(
        trial.scenario, seed: trial.seed, on: subject, reporting: table,
        beforeCalls: {
          SectionTracking.coverage = true
          startDelays(of: trial)
        }, afterCalls: stopCoverage, noteUndecided: noteUndecided)
    }
    for failure in failures { events.send(.oracleFailure(failure)) }
    if trial.predicts { events.send(.prediction(Predictor.record(atEnd: true))) }
    memory?.finish()
    table.stage = .finished
    end(events, .finished(SectionTracking.isCompiledIn ? SectionTracking.coverageReport : nil))
  }

  /// Enables near-miss delays for the workload.
  ///
  /// On a busy machine, a thousand short calls may run one after another without overlap. A delay
  /// that sometimes holds a section open lets the next caller arrive meanwhile.
  private static func startDelays(of trial: Trial) {
    guard let delays = trial.delays else { return }
    SectionTracking.startDelays(
      seed: trial.seed, trapFile: delays.trapFile, scope: trial.subject)
  }

  /// Ends the recording of contention coverage: neither the preparation nor the oracles' questions
  /// count.
  private static func stopCoverage() { SectionTracking.coverage = false }

  /// Sends the last event and ends the process without running exit handlers: threads of the
  /// subject may still run, and must not see its state torn down.
  static func end(_ events: EventPipe, _ event: ChildEvent) -> Never {
    // If another thread is describing a conflict, that conflict is the trial's result.
    SectionTracking.waitIfStopping()
    SectionTracking.saveTraps()
    events.send(event)
    _exit(0)
  }

  /// Ends the process with a reason. Used only before a trial has started.
  private static func fail(_ reason: String) -> Never {
    let line = "interlock: a fault of Interlock's own: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    _exit(70)
  }

  private static func prepareProcess(table: ProgressTable) {
    if let mark = table.mark { Platform.wear(mark) }
    // A process that the subject starts must not keep the pipe open.
    for descriptor in [tableDescriptor, eventDescriptor, symbolDescriptor] {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    let names = SymbolClient(descriptor: symbolDescriptor)
    symbolicate { names.frames($0) }
    Platform.giveWayIfMemoryIsShort()
    _ = interlock_die_with_parent()
    // The parent may have ended before that call.
    guard getppid() == table.parent else { _exit(70) }
    if Platform.isUnderThreadSanitizer {
      // ThreadSanitizer's monitor thread, which wakes up ten times a second, starts with the
      // program's first thread.
      let first = DispatchSemaphore(value: 0)
      if DedicatedThread.startDetached({ first.signal() }) { first.wait() }
    }
    table.ignoredThreads = Set(Platform.threadNumbers(of: getpid())).subtracting([Int(getpid())])
    interlock_name_thread("main")
    _ = interlock_stack_capture_install(table.stacks)
  }

  /// Starts to follow the waiting, waking and enqueuing calls, if this build can.
  private static func watchForHangs(
    table: ProgressTable, predicts: Bool, reportingTo events: EventPipe
  ) -> HangMonitor? {
    if let value = getenv(eventsVariable), String(cString: value) == "off" { return nil }
    var taker = SnapshotTaker()
    taker.ignoredThreads = table.ignoredThreads
    taker.ignoredDescriptors = ownDescriptors
    return HangMonitor.start(taker) { finding in
      // Before the workload, a thread may wait for something that this thread is about to start.
      // After the workload the result is known.
      guard table.stage == .running else { return }
      guard let diagnosis = finding.diagnosis else { return }
      let isOnlySlow = diagnosis.pool?.isOnlySlow ?? false
      var snapshot = finding.snapshot
      // The process is about to trap: symbolicate its addresses while they exist.
      let traps = snapshot.selfWait?.traps == true
      if traps { snapshot = snapshot.namedHere() }
      // The runner ends this process as soon as a hang is certain, and formatting the predictions
      // may take seconds. Send the snapshot first, in case the stall window passes meanwhile.
      if predicts, !traps {
        events.send(.hang(snapshot, isCertain: false, isOnlySlow: isOnlySlow))
        events.send(.prediction(Predictor.record()))
      }
      events.send(.hang(snapshot, isCertain: diagnosis.isCertain, isOnlySlow: isOnlySlow))
      // Both events are sent. The toolchain's backtracer takes half a minute for a thousand threads
      // and would add nothing.
      if traps { for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) } }
    }
  }

  private static func limitMemory(for trial: Trial) {
    let mebibyte: UInt = 1 << 20
    // A backstop for memory that grows faster than the parent samples it. The stacks of 8 MiB for
    // the threads of the pools and the workload, and the allocator's arenas, are only address
    // space.
    var space = UInt(max(0, trial.memoryMebibytes)) * mebibyte
    space += 16 * 1024 * mebibyte
    if trial.scenario.workload.driver == .threads {
      let threads = trial.scenario.workload.phases.map(\.callers).max() ?? 0
      space += UInt(max(0, threads)) * 8 * mebibyte
    }
    // The shadow memory reserves more address space than any limit.
    let isUnlimited = Platform.isUnderThreadSanitizer || trial.checksMemory
    Platform.limit(addressSpaceBytes: isUnlimited ? nil : space)
  }
}
