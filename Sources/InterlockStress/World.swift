import CInterlockEvents
package import Comparison
import Foundation
import Interlock
package import Reports
package import StressRunner

/// All that a command touches outside itself, so that a test can give it another world.
package struct World {
  /// Runs trials as `TrialRunner` does, so many at a time.
  package typealias RunTrials =
    (_ jobs: Int, [Trial], (TrialRunner.Event) -> Void) throws -> TrialRunner.Ending

  /// The name of the executable.
  package var command: String
  /// What scenarios are replayed on.
  package var subjects: [SubjectEntry]
  /// Where scenarios are unless an option says so.
  package var scenarioFolder: String
  /// What is compared beside the subjects.
  package var strategies: [StrategyEntry] = []
  /// What can be measured.
  package var benches: [BenchEntry]
  /// The environment variables.
  package var environment: [String: String]
  /// The absolute path that relative ones start from.
  package var currentFolder: String
  /// Standard output.
  package var output: any TextSink
  /// Standard error.
  package var errors: any TextSink
  /// Whether sections are tracked in this build; without, no race can be judged.
  package var tracksSections: Bool
  /// The formats that a run can be reported in.
  package var formats = ReportFormat.all
  /// Plants a race, and says why it was not found; `nil` where it was.
  package var selfTest: () -> String? = { nil }
  /// What is wrong with `INTERLOCK_OPTIONS`, a line each, which standard error has had.
  package var optionErrors: [String] = []
  /// Whether `INTERLOCK_OPTIONS` asks for contention, as `--require-contention` does.
  package var requiresContention = false
  /// Which of the calls that wait and wake this build sees; without, no hang is explained.
  package var sight = ReportContext.Sight.everything
  /// Has the calls that wait and wake cost what they cost without Interlock, for good, and says
  /// what is left: the nanoseconds of a mutex pair that this executable calls itself, the C
  /// library's and its own. `nil` where that cannot be.
  package var leaveCallsUnseen: () -> (real: Double, interposed: Double)? = { nil }
  /// Whether the compiler has left out its optimisations: what is measured then is not what ships.
  package var isDebugBuild = false
  /// How many trials run at a time unless an option says so.
  package var defaultJobs: Int
  /// Seconds on a clock that never goes back.
  package var now: () -> Double
  /// Runs trials.
  package var runTrials: RunTrials
}

extension World {
  /// The version of the package.
  package static let version = "0.1.0"

  /// The world of this process.
  static func process(
    subjects: [SubjectEntry], strategies: [StrategyEntry], scenarioFolder: String,
    benches: [BenchEntry]
  ) -> World {
    let environment = ProcessInfo.processInfo.environment
    let start = ContinuousClock.now
    #if DEBUG
    let isDebugBuild = true
    #else
    let isDebugBuild = false
    #endif
    return World(
      command: CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent }
        ?? "interlock",
      subjects: subjects, scenarioFolder: scenarioFolder, strategies: strategies, benches: benches,
      environment: environment,
      currentFolder: FileManager.default.currentDirectoryPath,
      output: DescriptorSink(STDOUT_FILENO, environment: environment),
      errors: DescriptorSink(STDERR_FILENO, environment: environment),
      tracksSections: SectionTracking.isCompiledIn,
      selfTest: {
        do throws(SectionTracking.SelfTestFailure) {
          try SectionTracking.selfTest()
          return nil
        } catch {
          return error.description
        }
      }, optionErrors: OptionVariable.ofThisProcess.errors,
      // Of the trials: this process begins no section of the user's.
      requiresContention: SectionTracking.takeContentionRequirement(), sight: .ofThisBuild,
      leaveCallsUnseen: { interlock_events_bypass(true) ? RealMutex()?.pairs() : nil },
      isDebugBuild: isDebugBuild,
      // A deadlocked trial only waits; two at a time keep two processors busy with one that works.
      defaultJobs: max(1, min(4, ProcessInfo.processInfo.activeProcessorCount)),
      now: { (ContinuousClock.now - start) / .seconds(1) },
      runTrials: { jobs, trials, onEvent in
        TrialRunner(jobs: jobs).run(trials, onEvent: onEvent)
      })
  }

  /// The machine, for reports.
  var host: ReportContext.Host {
    ReportContext.Host(
      system: ProcessInfo.processInfo.operatingSystemVersionString,
      cores: ProcessInfo.processInfo.activeProcessorCount, swift: compilerVersion)
  }

  /// The compiler tells its version only by comparison, so this is the newest known one that it
  /// reaches.
  private var compilerVersion: String {
    #if compiler(>=6.4)
    "6.4 or later"
    #elseif compiler(>=6.3.2)
    "6.3.2 or later"
    #elseif compiler(>=6.3.1)
    "6.3.1"
    #elseif compiler(>=6.3)
    "6.3"
    #else
    "6.2"
    #endif
  }
}
