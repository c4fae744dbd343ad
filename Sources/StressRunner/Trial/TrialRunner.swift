import CInterlock
import Foundation
package import Interlock
import ProcessInspection

/// Runs trials, each in a child process of this executable, and judges them.
package struct TrialRunner: Sendable {
  /// What the runner says while it runs.
  package enum Event: Sendable {
    /// The trial with this number in the list has been started.
    case started(index: Int)
    /// The trial with this number in the list is judged.
    case finished(index: Int, TrialResult)
    /// A process or a folder of a trial could not be removed: which, and why, in a line. Comes when
    /// the run is over.
    case leftBehind(String)
  }

  /// How a run ended.
  package enum Ending: Sendable, Hashable {
    /// Every trial was judged.
    case completed
    /// An interrupt (SIGINT, SIGTERM, SIGHUP or SIGQUIT) came; its trials were killed and not
    /// judged.
    case interrupted
    /// This machine refused what a trial needs to be started or watched, with no other under way
    /// that could give it back: why. The trials that were not judged by then are not judged.
    case failed(reason: String)
  }

  /// How many trials run at a time.
  package var jobs: Int
  /// What is started as a child: this executable, unless a test says otherwise.
  package var executable: String = Platform.executable
  /// What a child's environment has beside this process's own.
  package var environment: [String: String] = [:]
  /// Names addresses of this process, for stacks.
  package var symbolicate: @Sendable ([UInt]) -> [StackFrame] = { Interlock.symbolicate($0) }

  /// Configures a runner.
  package init(jobs: Int) {
    self.jobs = jobs
    OwnCode.register(OwnCode.stressRunner)
  }

  /// Runs the trials, at most `jobs` at a time, and returns when all are judged or an interrupt
  /// came.
  ///
  /// `onEvent` is called on the calling thread, as things happen; trials may finish in another
  /// order than they have in the list. No child outlives the call, and neither do files. SIGINT,
  /// SIGTERM, SIGHUP and SIGQUIT end the run while it lasts; then they mean again what they meant
  /// before.
  package func run(_ trials: [Trial], onEvent: (Event) -> Void) -> Ending {
    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    var running: [RunningTrial] = []
    var left: [String] = []
    var ending = Ending.completed
    do throws(RunnerFault) {
      let folder = try TemporaryFolder()
      do throws(RunnerFault) {
        ending = try run(trials, in: folder, &running, &left, onEvent: onEvent)
      } catch {
        ending = .failed(reason: error.reason)
      }
      for trial in running { _ = finish(trial, .notRun(reason: ""), in: folder, &left) }
      left += folder.remove()
    } catch {
      ending = .failed(reason: error.reason)
    }
    for line in left { onEvent(.leftBehind(line)) }
    return ending
  }

  /// The same in a folder for temporary files. What is still running when it returns or throws is
  /// the caller's to end.
  private func run(
    _ trials: [Trial], in folder: TemporaryFolder, _ running: inout [RunningTrial],
    _ left: inout [String], onEvent: (Event) -> Void
  ) throws(RunnerFault) -> Ending {
    var next = 0
    var most = max(1, jobs)
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
        // What had ended before the interrupt is judged.
        for job in naming { job.wait() }
        deliverNamed()
        return .interrupted
      }
      while running.count < most, next < trials.count {
        do throws(RunnerFault) {
          running.append(try start(trials[next], index: next, in: folder))
        } catch {
          // What is missing may be what the trials under way have: fewer at a time from here on.
          guard !running.isEmpty else { throw error }
          most = running.count
          break
        }
        onEvent(.started(index: next))
        next += 1
      }
      if running.isEmpty && naming.isEmpty { continue }
      Self.wait(for: running, atMost: naming.isEmpty ? 1 : 0.005)
      for trial in running {
        guard let ending = try trial.step(at: Platform.now) else { continue }
        running.removeAll { $0 === trial }
        let (observation, stacks) = finish(trial, ending, in: folder, &left)
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
    // What a trial leaves there goes with it: the files of a thousand would fill a disk.
    let place = try folder.makeTrial()
    let launch = launch(in: place)
    do throws(RunnerFault) {
      return RunningTrial(
        index: index, trial: trial, child: try ChildProcess(trial, as: launch), folder: place,
        seesCalls: TrialHost.seesCalls(in: launch.environment), symbolicate: symbolicate)
    } catch {
      folder.remove(place)
      throw error
    }
  }

  /// Ends a trial, and removes what it has left; takes note of what it cannot remove.
  private func finish(
    _ trial: RunningTrial, _ ending: Observation.Ending, in folder: TemporaryFolder,
    _ left: inout [String]
  ) -> (observation: Observation, stacks: RawStacks?) {
    let seen = trial.finish(ending)
    folder.remove(trial.folder)
    if trial.isLeft {
      left.append(
        "the process \(trial.child.process) of a trial of '\(printable(trial.trial.subject))' could"
          + " not be ended")
    }
    return seen
  }

  /// Sleeps until a child says something or ends, or one is to be looked at.
  private static func wait(for running: [RunningTrial], atMost longest: Double) {
    let now = Platform.now
    let seconds = running.map { $0.timeout(at: now) }.reduce(longest, min)
    var waited = running.flatMap(\.child.descriptors).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&waited, nfds_t(waited.count), Int32((seconds * 1000).rounded(.up)))
  }

  private var optionsVariable: String { "INTERLOCK_OPTIONS" }

  private func launch(in folder: TrialFolder) -> ChildProcess.Launch {
    var all = ProcessInfo.processInfo.environment
    all["SWIFT_BACKTRACE"] =
      "enable=yes,format=json,output-to=\(folder.path)/,interactive=no,color=no,threads=crashed,"
      + "registers=none,images=none,symbolicate=fast,sanitize=no"
    all["TMPDIR"] = folder.temporary
    all.merge(environment) { _, new in new }
    all[TrialHost.variable] = "1"
    // A watchdog that the executable links says nothing in each trial.
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
