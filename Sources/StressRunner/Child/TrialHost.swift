import CInterlock
import Dispatch
import Foundation
import HangDetection
import Interlock
import Prediction
import ProcessInspection
import WaitForGraph

/// The child's side of a trial: what the executable does when the runner has started it.
package enum TrialHost {
  /// Set in a child's environment, and nowhere else.
  static let variable = "INTERLOCK_TRIAL"
  /// With `off` in a child's environment, the calls that wait and wake are not followed there.
  package static let eventsVariable = "INTERLOCK_EVENTS"
  /// Where a child finds the memory that it shares with its parent, and the pipe for events.
  static let tableDescriptor: Int32 = 3
  static let eventDescriptor: Int32 = 4
  /// What a child has been given: the runner does not wake it by these.
  static let ownDescriptors: Set<Int> = [0, 1, 2, Int(tableDescriptor), Int(eventDescriptor)]

  /// Whether the calls of a child with this environment can be seen: it is this same executable.
  static func seesCalls(in environment: [String: String]) -> Bool {
    InterposedCalls.blindness == nil && environment[eventsVariable] != "off"
  }

  /// Runs the trial that this process was started for, and ends the process; returns at once where
  /// it was not started for one.
  ///
  /// To be called first thing in `main`, before the program has made any thread.
  package static func runIfChild(subjects: [SubjectEntry]) {
    guard getenv(variable) != nil else { return }
    OwnCode.register(OwnCode.stressRunner)
    // A subject that starts this executable again must not be taken for a trial.
    unsetenv(variable)
    runTrial(subjects: subjects)
  }

  private static func runTrial(subjects: [SubjectEntry]) -> Never {
    guard let table = ProgressTable.open(tableDescriptor) else {
      fail("the memory that the trial shares with its runner is not there")
    }
    let events = EventPipe(descriptor: eventDescriptor)
    prepareProcess(table: table)
    guard let trial = table.trial else { fail("the trial could not be read by its child process") }
    guard let entry = subjects.first(where: { $0.name == trial.subject }) else {
      end(events, .notRun("there is no subject '\(trial.subject)' in this executable"))
    }
    limitMemory(for: trial)
    // Before the subject makes its locks.
    if trial.predicts, seesCalls(in: ProcessInfo.processInfo.environment) { Predictor.start() }
    let monitor = watchForHangs(table: table, predicts: trial.predicts, reportingTo: events)
    watchSections(reportingTo: SectionWatch(reportingTo: events))
    // On a thread of its own, so that a subject may use the main queue and the main actor.
    Thread {
      interlock_name_thread("workload")
      perform(trial, on: entry, table: table, events: events, watchedBy: monitor)
    }.start()
    Platform.serveMainQueue()
  }

  private static func perform(
    _ trial: Trial, on entry: SubjectEntry, table: ProgressTable, events: EventPipe,
    watchedBy monitor: HangMonitor?
  ) -> Never {
    let subject = entry.make()
    let needed = trial.scenario.workload.kinds
    let missing = needed.filter { !subject.supports($0) }
    guard missing.isEmpty else {
      let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
      end(events, .notRun("'\(trial.subject)' does not have: \(names)"))
    }

    if let monitor { table.ignoredThreads.insert(monitor.threadNumber) }
    table.stage = .running
    let failures: [Observation.OracleFailure]
    let noteUndecided = { events.send(.undecided($0)) }
    if let script = trial.scenario.workload.script {
      let outcome = runScript(
        trial.scenario, script, on: subject, reporting: table, ignoring: table.ignoredThreads,
        beforeCalls: { SectionTracking.exercise = true }, afterCalls: stopExercise,
        noteUndecided: noteUndecided)
      failures = outcome.failures
      events.send(.script(outcome.record))
    } else {
      failures = runWorkload(
        trial.scenario, seed: trial.seed, on: subject, reporting: table,
        beforeCalls: {
          SectionTracking.exercise = true
          startDelays(of: trial)
        }, afterCalls: stopExercise, noteUndecided: noteUndecided)
    }
    for failure in failures { events.send(.oracleFailure(failure)) }
    if trial.predicts { events.send(.prediction(Predictor.record(atEnd: true))) }
    table.stage = .finished
    end(events, .finished(SectionTracking.isCompiledIn ? SectionTracking.exerciseReport : nil))
  }

  /// From here on there is somebody to meet. A machine that is busy elsewhere may run a thousand
  /// short calls one after the other: a section that is held open now and then lets the next caller
  /// come while it is.
  private static func startDelays(of trial: Trial) {
    guard let delays = trial.delays else { return }
    SectionTracking.startDelays(
      seed: trial.seed, trapFile: delays.trapFile, scope: trial.subject)
  }

  /// What the oracles ask at rest is no exercise, and neither is what was prepared.
  private static func stopExercise() { SectionTracking.exercise = false }

  /// Tells the parent the last thing, and ends without running what is registered for exit: threads
  /// of the subject may still be alive, and must not see it being torn down.
  private static func end(_ events: EventPipe, _ event: ChildEvent) -> Never {
    // A conflict that is just being put into words is the trial's result.
    SectionTracking.waitIfStopping()
    SectionTracking.saveTraps()
    events.send(event)
    _exit(0)
  }

  /// Ends the process, which is no trial's, with the reason.
  private static func fail(_ reason: String) -> Never {
    let line = "interlock: a fault of Interlock's own: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    _exit(70)
  }

  private static func prepareProcess(table: ProgressTable) {
    if let mark = table.mark { Platform.wear(mark) }
    // What the subject starts must not hold the pipe open.
    for descriptor in [tableDescriptor, eventDescriptor] {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    _ = interlock_die_with_parent()
    // The parent may have ended before that call.
    guard getppid() == table.parent else { _exit(70) }
    if Platform.isUnderThreadSanitizer {
      // Its own thread, which wakes ten times a second, is made with the first of the program's.
      let first = DispatchSemaphore(value: 0)
      Thread { first.signal() }.start()
      first.wait()
    }
    table.ignoredThreads = Set(Platform.threadNumbers(of: getpid())).subtracting([Int(getpid())])
    interlock_name_thread("main")
    _ = interlock_stack_capture_install(table.stacks)
  }

  /// Follows the calls that wait, wake and enqueue from here on, where this build sees them.
  private static func watchForHangs(
    table: ProgressTable, predicts: Bool, reportingTo events: EventPipe
  ) -> HangMonitor? {
    if let value = getenv(eventsVariable), String(cString: value) == "off" { return nil }
    var taker = SnapshotTaker()
    taker.ignoredThreads = table.ignoredThreads
    taker.ignoredDescriptors = ownDescriptors
    return HangMonitor.start(taker) { finding in
      // Before the workload a thread may wait for what this one is about to start; after it, nobody
      // asks.
      guard table.stage == .running else { return }
      guard let diagnosis = finding.diagnosis else { return }
      let isOnlySlow = diagnosis.pool?.isOnlySlow ?? false
      var snapshot = finding.snapshot
      // What traps in the next moment takes its addresses with it.
      let traps = snapshot.selfWait?.traps == true
      if traps { snapshot = snapshot.namedHere() }
      // Of a hang that is certain the runner ends this process at once, and what is predicted may
      // take seconds to put into words: the runner has the snapshot meanwhile, should its window
      // pass.
      if predicts, !traps {
        events.send(.hang(snapshot, isCertain: false, isOnlySlow: isOnlySlow))
        events.send(.prediction(Predictor.record()))
      }
      events.send(.hang(snapshot, isCertain: diagnosis.isCertain, isOnlySlow: isOnlySlow))
      // All is told, with both lines: the toolchain's backtracer, which takes half a minute for a
      // thousand threads, has nothing to add.
      if traps { for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) } }
    }
  }

  private static func limitMemory(for trial: Trial) {
    let mebibyte: UInt = 1 << 20
    // A backstop, for memory that is taken faster than the parent looks. Stacks of 8 MiB for what
    // the pools and the workload may start, and the allocator's arenas, are only address space.
    var space = UInt(max(0, trial.scenario.limits.memoryMebibytes)) * mebibyte
    space += 16 * 1024 * mebibyte
    if trial.scenario.workload.driver == .threads {
      let threads = trial.scenario.workload.phases.map(\.callers).max() ?? 0
      space += UInt(max(0, threads)) * 8 * mebibyte
    }
    Platform.limit(addressSpaceBytes: Platform.isUnderThreadSanitizer ? nil : space)
  }
}
