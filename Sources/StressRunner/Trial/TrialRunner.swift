import CInterlock
import Foundation
package import Interlock
import WaitGraph

/// Runs trials, each in a child process of this executable, and judges them.
public struct TrialRunner: Sendable {
  /// What the runner says while it runs.
  public enum Event: Sendable {
    /// The trial with this number in the list has been started.
    case started(index: Int)
    /// The trial with this number in the list is judged.
    case finished(index: Int, TrialResult)
  }

  /// How a run ended.
  public enum Ending: Sendable, Hashable {
    /// Every trial was judged.
    case completed
    /// An interrupt (SIGINT, SIGTERM, SIGHUP or SIGQUIT) came; its trials were killed and not judged.
    case interrupted
  }

  /// How many trials run at a time.
  public var jobs: Int
  /// What is started as a child: this executable, unless a test says otherwise.
  package var executable: String = Platform.executable
  /// What a child's environment has beside this process's own.
  package var environment: [String: String] = [:]
  /// Names addresses of this process, for stacks.
  package var symbolicate: @Sendable ([UInt]) -> [StackFrame] = { Interlock.symbolicate($0) }

  /// Configures a runner.
  public init(jobs: Int) {
    self.jobs = jobs
  }

  /// Runs the trials, at most `jobs` at a time, and returns when all are judged or an interrupt came.
  ///
  /// `onEvent` is called on the calling thread, as things happen; trials may finish in another order
  /// than they have in the list. No child outlives the call, and neither do files. SIGINT, SIGTERM,
  /// SIGHUP and SIGQUIT end the run while it lasts; then they mean again what they meant before.
  public func run(_ trials: [Trial], onEvent: (Event) -> Void) -> Ending {
    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    guard let folder = TemporaryFolder() else {
      for (index, trial) in trials.enumerated() {
        let reason = "no temporary folder could be made: \(String(cString: strerror(errno)))"
        onEvent(.started(index: index))
        onEvent(.finished(index: index, Self.notRun(trial, reason: reason)))
      }
      return .completed
    }
    defer { folder.remove() }
    let launch = launch(in: folder)
    var next = 0
    var running: [RunningTrial] = []
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
        for trial in running { _ = trial.finish(.notRun(reason: "interrupted"), folder: folder) }
        // What had ended before the interrupt is judged.
        for job in naming { job.wait() }
        deliverNamed()
        return .interrupted
      }
      while running.count < max(1, jobs), next < trials.count {
        onEvent(.started(index: next))
        do throws(ChildProcess.Failure) {
          // What a trial leaves there goes with it: the files of a thousand would fill a disk.
          let scratch = folder.makeFolder(named: "trial-\(next)")
          var launch = launch
          launch.environment["TMPDIR"] = environment["TMPDIR"] ?? (scratch ?? folder).path
          let child = try ChildProcess(trials[next], as: launch)
          running.append(
            RunningTrial(
              index: next, trial: trials[next], child: child, scratch: scratch,
              seesCalls: TrialHost.seesCalls(in: launch.environment), symbolicate: symbolicate))
        } catch {
          onEvent(.finished(index: next, Self.notRun(trials[next], reason: error.reason)))
        }
        next += 1
      }
      if running.isEmpty && naming.isEmpty { continue }
      Self.wait(for: running, atMost: naming.isEmpty ? 1 : 0.005)
      running.removeAll { trial in
        guard let ending = trial.step(at: Platform.now) else { return false }
        let (observation, stacks) = trial.finish(ending, folder: folder)
        if let stacks {
          naming.append(
            StackNaming(
              of: stacks, in: observation, index: trial.index, symbolicate: symbolicate))
        } else {
          onEvent(.finished(index: trial.index, Self.result(trial.trial, observation)))
        }
        return true
      }
    }
    return .completed
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

  private func launch(in folder: TemporaryFolder) -> ChildProcess.Launch {
    var all = ProcessInfo.processInfo.environment
    all["SWIFT_BACKTRACE"] =
      "enable=yes,format=json,output-to=\(folder.path)/,interactive=no,color=no,threads=crashed,"
      + "registers=none,images=none,symbolicate=fast,sanitize=no"
    all.merge(environment) { _, new in new }
    all[TrialHost.variable] = "1"
    return ChildProcess.Launch(
      executable: executable, arguments: [CommandLine.arguments.first ?? "interlock"],
      environment: all)
  }

  private static func notRun(_ trial: Trial, reason: String) -> TrialResult {
    let operations = trial.scenario.workload.operationCount
    return result(trial, Observation(ending: .notRun(reason: reason), operations: operations))
  }

  private static func result(_ trial: Trial, _ observation: Observation) -> TrialResult {
    TrialResult(
      trial: trial, observation: observation,
      verdict: Judge.verdict(of: observation, in: trial.scenario, on: trial.subject))
  }
}
