import CInterlockEvents
package import Comparison
import Findings
import Foundation
import Interlock
import ProcessInspection
package import MemoryCheck
package import Reports
package import StressRunner

/// Everything that a command uses outside itself, so that a test can replace it.
package struct World {
  /// The work of an executable whose command line says nothing else.
  package struct MainJob: Sendable {
    /// The scenario that is replayed first.
    package var first: String
    /// The subjects of `deadlocks`.
    package var subjects: [String]

    /// Describes the job.
    package init(first: String, subjects: [String]) {
      self.first = first
      self.subjects = subjects
    }
  }

  /// Runs trials as `TrialRunner` does, `jobs` at a time.
  package typealias RunTrials =
    (_ jobs: Int, [Trial], (TrialRunner.Event) -> Void) throws -> TrialRunner.Ending

  /// The name of the executable.
  package var command: String
  /// The subjects on which scenarios are replayed.
  package var subjects: [SubjectEntry]
  /// The folder of scenarios, unless an option names another.
  package var scenarioFolder: String
  /// The scenarios that are replayed instead of a folder's, unless an option names one; empty for
  /// none.
  package var ownScenarios: [Scenario] = []
  /// Which scenario and subjects stand for the executable if its command line names none.
  package var mainJob: MainJob?
  /// The strategies that are compared in addition to the subjects.
  package var strategies: [StrategyEntry] = []
  /// The benches that can be run.
  package var benches: [BenchEntry]
  /// The environment variables.
  package var environment: [String: String]
  /// The absolute path that relative paths are resolved against.
  package var currentFolder: String
  /// Standard output.
  package var output: any TextSink
  /// Standard error.
  package var errors: any TextSink
  /// Whether sections are tracked in this build; without it no race can be judged.
  package var tracksSections: Bool
  /// Which code of this executable can be checked for races in memory.
  package var memory = MemoryCheck.Support.unavailable(reason: "this is a test")
  /// The available report formats.
  package var formats = ReportFormat.all
  /// Plants a race. Returns why it was not found; `nil` if it was.
  package var selfTest: () -> String? = { nil }
  /// Faults in `INTERLOCK_OPTIONS`, a line each, already printed to standard error.
  package var optionErrors: [String] = []
  /// Whether `INTERLOCK_OPTIONS` requires contention, as `--require-contention` does.
  package var requiresContention = false
  /// Which of the calls that wait and wake this build sees; without them no hang is explained.
  package var sight = ReportContext.Sight.everything
  /// The processor, by its name in `ProcessorSupport`.
  package var processor = ProcessorSupport.name
  /// Turns interposition off for good, so that the calls cost what they cost without Interlock.
  ///
  /// Returns the remaining difference: the nanoseconds of a mutex pair called by this executable,
  /// with the C library's functions and with its own; `nil` if it is impossible.
  package var leaveCallsUnseen: () -> (real: Double, interposed: Double)? = { nil }
  /// Whether this is a debug build, whose measurements say nothing about a release build.
  package var isDebugBuild = false
  /// How many trials run at a time by default.
  package var defaultJobs: Int
  /// When the command began, in seconds since 1970.
  package var began = 0
  /// The folder of Interlock's package, if this executable was built there.
  package var ownPackage: String?
  /// The commit that is checked out in the current folder, if it is known.
  package var commit: () -> String? = { nil }
  /// Runs `swift package` with arguments in a folder.
  package var swiftPackage = Subprocess.swiftPackage
  /// Runs a command in a folder, and returns what it printed.
  package var runCommand: (_ words: [String], _ folder: String) throws -> Subprocess.Result = {
    try Subprocess.run($0, in: $1)
  }
  /// Runs a command in a folder, with environment variables, and lets its output pass through.
  package var shownCommand:
    (_ words: [String], _ variables: [String: String], _ folder: String) throws
      -> ShownCommand.Ending = ShownCommand.run
  /// Where a CI job gets Interlock from, by its folder.
  package var interlockSource: (_ folder: String) -> InterlockSource? = { .init(folder: $0) }
  /// Seconds on a monotonic clock.
  package var now: () -> Double
  /// Runs trials.
  package var runTrials: RunTrials
}

extension World {
  /// The version of the package.
  package static let version = interlockVersion

  /// The world of this process.
  static func process(
    subjects: [SubjectEntry], strategies: [StrategyEntry], scenarioFolder: String,
    benches: [BenchEntry], mainJob: MainJob?
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
      subjects: subjects, scenarioFolder: scenarioFolder, mainJob: mainJob,
      strategies: strategies, benches: benches, environment: environment,
      currentFolder: FileManager.default.currentDirectoryPath,
      output: DescriptorSink(STDOUT_FILENO, environment: environment),
      errors: DescriptorSink(STDERR_FILENO, environment: environment),
      tracksSections: SectionTracking.isCompiledIn, memory: MemoryCheck.support,
      selfTest: {
        do throws(SectionTracking.SelfTestFailure) {
          try SectionTracking.selfTest()
          return nil
        } catch {
          return error.description
        }
      }, optionErrors: OptionVariable.ofThisProcess.errors,
      // Applies to the trials: this process begins no section of the user's.
      requiresContention: SectionTracking.takeContentionRequirement(), sight: .ofThisBuild,
      leaveCallsUnseen: { interlock_events_bypass(true) ? RealMutex()?.pairs() : nil },
      isDebugBuild: isDebugBuild,
      defaultJobs: max(1, min(4, ProcessInfo.processInfo.activeProcessorCount)),
      began: Int(Date().timeIntervalSince1970), ownPackage: Self.packageOfThisExecutable,
      commit: { Self.commit(environment) },
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

  /// The commit as the CI service names it, or else as Git does.
  private static func commit(_ environment: [String: String]) -> String? {
    let named = [environment["GITHUB_SHA"], environment["CI_COMMIT_SHA"]].compactMap(\.self)
      .first { !$0.isEmpty }
    if let named { return named }
    let git = try? Subprocess.run(
      ["git", "rev-parse", "HEAD"], in: FileManager.default.currentDirectoryPath)
    guard let git, git.code == 0 else { return nil }
    return String(decoding: git.output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The folder of Interlock's package, if this executable lies in its build folder.
  private static var packageOfThisExecutable: String? {
    var folder = (Bundle.main.executablePath ?? "") as NSString
    while folder.length > 1 {
      folder = folder.deletingLastPathComponent as NSString
      let manifest = folder.appendingPathComponent("Package.swift")
      if let bytes = try? RegularFile.read(manifest) {
        return String(decoding: bytes, as: UTF8.self).contains("name: \"Interlock\",")
          ? folder as String : nil
      }
    }
    return nil
  }

  /// The compiler's version can only be compared, so this is the newest known version that it
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
