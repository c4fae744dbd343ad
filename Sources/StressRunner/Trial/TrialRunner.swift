import CInterlockHarness
import Foundation
package import Interlock
import Findings
import ProcessInspection

/// Runs trials, each in a child process of this executable, and judges them.
package struct TrialRunner: Sendable {
  /// An event of a run.
  package enum Event: Sendable {
    /// The trial at this index of the list has been started.
    case started(index: Int)
    /// The trial at this index of the list is judged.
    case finished(index: Int, TrialResult)
    /// A process or a folder of a trial could not be removed, or a trial has sent a signal to the
    /// runner. The text says what happened, in one line. Sent when the run is over.
    case warning(String)
  }

  /// How a run ended.
  package enum Ending: Sendable, Hashable {
    /// Every trial was judged.
    case completed
    /// An interrupt arrived (SIGINT, SIGTERM, SIGHUP or SIGQUIT). Its trials were killed and not
    /// judged.
    case interrupted
    /// This machine refused a resource that a trial needs to be started or watched, and no other
    /// running trial could free it. The remaining trials are not judged.
    case failed(reason: String)
  }

  /// The number of trials that run at a time. If it is more than one, a trial whose threads all
  /// sleep does not count, and up to twice as many trials may be in progress: a deadlock is certain
  /// only after seconds.
  package var jobs: Int
  /// The child's executable: this one, unless a test overrides it.
  package var executable: String = Platform.executable
  /// The variables added to a child's environment.
  package var environment: [String: String] = [:]
  /// Symbolicates addresses of this process, for stacks.
  package var symbolicate: @Sendable ([UInt]) -> [StackFrame] = symbolicateWaits

  /// Creates a runner.
  package init(jobs: Int) {
    self.jobs = jobs
    OwnCode.register(OwnCode.stressRunner)
  }

  /// Runs the trials, `jobs` at a time, and returns when all are judged or an interrupt arrives.
  ///
  /// `onEvent` is called on the calling thread as events occur. Trials may finish in another order
  /// than that of the list. No child and no file outlives the call. SIGINT, SIGTERM, SIGHUP and
  /// SIGQUIT end the run; their previous handlers are restored when the call returns.
  package func run(_ trials: [Trial], onEvent: (Event) -> Void) -> Ending {
    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    var running: [RunningTrial] = []
    var warnings: [String] = []
    var ending = Ending.completed
    do throws(RunnerFault) {
      let folder = try TemporaryFolder()
      do throws(RunnerFault) {
        ending = try run(trials, in: folder, &running, &warnings, onEvent: onEvent)
      } catch {
        ending = .failed(reason: error.reason)
      }
      for trial in running { _ = finish(trial, .notRun(reason: ""), in: folder, &warnings) }
      warnings += folder.remove()
    } catch {
      ending = .failed(reason: error.reason)
    }
    for line in warnings { onEvent(.warning(line)) }
    return ending
  }

  /// Runs the trials with a folder for temporary files. The caller ends the trials that still run
  /// when this function returns or throws.
  private func run(
    _ trials: [Trial], in folder: TemporaryFolder, _ running: inout [RunningTrial],
    _ warnings: inout [String], onEvent: (Event) -> Void
  ) throws(RunnerFault) -> Ending {
    var next = 0
    let jobs = max(1, jobs)
    var mostUnderWay = jobs == 1 ? 1 : 2 * jobs
    var naming: [StackNaming] = []
    func deliverNamed() {
      naming.removeAll { job in
        guard let observation = job.observation else { return false }
        onEvent(.finished(index: job.index, Self.result(trials[job.index], observation)))
        return true
      }
    }
    while next < trials.count || !running.isEmpty || !naming.isEmpty {
      deliverNamed()
      if interlock_interrupted() {
        // Judge the trials that had ended before the interrupt.
        for job in naming { job.wait() }
        deliverNamed()
        return .interrupted
      }
      while next < trials.count, running.count < mostUnderWay,
        running.count(where: { !$0.isAsleep }) < jobs
      {
        do throws(RunnerFault) {
          running.append(try start(trials[next], index: next, in: folder))
        } catch {
          // The running trials may hold the missing resource: run fewer at a time from here on.
          guard !running.isEmpty else { throw error }
          mostUnderWay = running.count
          break
        }
        onEvent(.started(index: next))
        next += 1
      }
      if running.isEmpty && naming.isEmpty { continue }
      Self.wait(for: running, atMost: naming.isEmpty ? 1 : 0.005)
      if let line = Self.refusedSignal(from: running), !warnings.contains(line) {
        warnings.append(line)
      }
      for trial in running {
        guard let ending = try trial.step(at: Platform.now) else { continue }
        running.removeAll { $0 === trial }
        let (observation, stacks) = finish(trial, ending, in: folder, &warnings)
        if let stacks {
          naming.append(
            StackNaming(
              of: stacks, in: observation, index: trial.index, symbolicate: symbolicate))
        } else {
          onEvent(.finished(index: trial.index, Self.result(trial.trial, observation)))
        }
      }
    }
    return .completed
  }

  private func start(
    _ trial: Trial, index: Int, in folder: TemporaryFolder
  ) throws(RunnerFault) -> RunningTrial {
    // A trial's files are removed with the trial: those of a thousand trials would fill a disk.
    let place = try folder.makeTrial()
    let launch = launch(in: place, exploring: trial.explore != nil)
    do throws(RunnerFault) {
      return RunningTrial(
        index: index, trial: trial, child: try ChildProcess(trial, as: launch), folder: place,
        seesCalls: TrialHost.seesCalls(in: launch.environment), symbolicate: symbolicate)
    } catch {
      folder.remove(place)
      throw error
    }
  }

  /// Ends a trial and removes its files; records what cannot be removed.
  private func finish(
    _ trial: RunningTrial, _ ending: Observation.Ending, in folder: TemporaryFolder,
    _ warnings: inout [String]
  ) -> (observation: Observation, stacks: RawStacks?) {
    let seen = trial.finish(ending)
    folder.remove(trial.folder)
    if trial.isLeft {
      warnings.append(
        "the process \(trial.child.process) of a trial of '\(printable(trial.trial.subject))' could"
          + " not be ended")
    }
    return seen
  }

  /// A signal that a trial has sent to this process and that does not end the run; `nil` for none.
  private static func refusedSignal(from running: [RunningTrial]) -> String? {
    var limit: UInt64 = 0
    let signal = interlock_refused_interrupt(&limit)
    guard signal != 0 else { return nil }
    let trial = running.first { $0.child.owns(processWithLimit: limit) }
    let subject = trial.map { " of '\(printable($0.trial.subject))'" } ?? ""
    let names = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP", SIGQUIT: "SIGQUIT"]
    return "a trial\(subject) sent \(names[signal] ?? "a signal") to the runner, which continues"
  }

  /// Sleeps until a child sends an event or ends, or the next sample is due.
  private static func wait(for running: [RunningTrial], atMost longest: Double) {
    let now = Platform.now
    let seconds = running.map { $0.timeout(at: now) }.reduce(longest, min)
    var waited = running.flatMap(\.child.descriptors).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&waited, nfds_t(waited.count), Int32((seconds * 1000).rounded(.up)))
  }

  private var optionsVariable: String { "INTERLOCK_OPTIONS" }

  private func launch(in folder: TrialFolder, exploring: Bool) -> ChildProcess.Launch {
    var all = ProcessInfo.processInfo.environment
    all["SWIFT_BACKTRACE"] =
      "enable=yes,format=json,output-to=\(folder.path)/,interactive=no,color=no,threads=crashed,"
      + "registers=none,images=none,symbolicate=fast,sanitize=no"
    if exploring {
      // The backtracer cannot suspend the explorer's threads.
      all["SWIFT_BACKTRACE"] = "enable=no"
      // Make the orders of dictionaries the same in each process, so that a token replays.
      all["SWIFT_DETERMINISTIC_HASHING"] = "1"
    }
    all["TMPDIR"] = folder.temporary
    all.merge(environment) { _, new in new }
    all[TrialHost.variable] = "1"
    // If the executable links a watchdog, the watchdog must not print its line in each trial.
    all[optionsVariable] = (all[optionsVariable].map { $0 + " " } ?? "") + "quiet=on"
    return ChildProcess.Launch(
      executable: executable, arguments: [CommandLine.arguments.first ?? "interlock"],
      environment: all)
  }

  private static func result(_ trial: Trial, _ observation: Observation) -> TrialResult {
    TrialResult(
      trial: trial, observation: observation,
      verdict: Judge.verdict(of: observation, in: trial.scenario, on: trial.subject))
  }
}
