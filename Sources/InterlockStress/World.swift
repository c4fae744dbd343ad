import CInterlockEvents
package import Comparison
import Findings
import Foundation
import Interlock
import ProcessInspection
package import MemoryCheck
package import Reports
package import StressRunner

/// Everything outside of a command that it uses. A test can replace it.
package struct World {
  /// The work of an executable whose command line is empty.
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

  /// Runs trials like `TrialRunner`, `jobs` at a time.
  package typealias RunTrials =
    (_ jobs: Int, [Trial], (TrialRunner.Event) -> Void) throws -> TrialRunner.Ending

  /// The name of the executable.
  package var command: String
  /// The subjects on which scenarios are replayed.
  package var subjects: [SubjectEntry]
  /// The folder of scenarios, unless an option names another one.
  package var scenarioFolder: String
  /// The scenarios that are replayed in place of a folder's, unless an option names a folder; empty
  /// for none.
  package var ownScenarios: [Scenario] = []
  /// The scenario and subjects that the executable uses if its command line names none.
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
  /// True if sections are tracked in this build. Otherwise no race can be judged.
  package var tracksSections: Bool
  /// The code of this executable whose memory accesses can be checked.
  package var memory = MemoryCheck.Support.unavailable(reason: "this is a test")
  /// The available report formats.
  package var formats = ReportFormat.all
  /// Plants a race. Returns why it was not found; `nil` if it was found.
  package var selfTest: () -> String? = { nil }
  /// Errors in `INTERLOCK_OPTIONS`, one line each, already printed to standard error.
  package var optionErrors: [String] = []
  /// True if `INTERLOCK_OPTIONS` requires contention, like `--require-contention`.
  package var requiresContention = false
  /// The waiting and waking calls that this build follows. Without them, hangs cannot be explained.
  package var sight = ReportContext.Sight.everything
  /// The processor, by its name in `ProcessorSupport`.
  package var processor = ProcessorSupport.name
  /// Turns interposition off permanently, so that calls cost as much as without Interlock.
  ///
  /// Returns the remaining difference: the nanoseconds of a mutex pair called by this executable,
  /// with the C library's functions and with its own; `nil` if interposition cannot be turned off.
  package var leaveCallsUnseen: () -> (real: Double, interposed: Double)? = { nil }
  /// True for a debug build, whose measurements say nothing about a release build.
  package var isDebugBuild = false
  /// The default number of trials that run at a time.
  package var defaultJobs: Int
  /// The beginning of the command, in seconds since 1970.
  package var began = 0
  /// The folder of Interlock's package, if this executable was built there; otherwise `nil`.
  package var ownPackage: String?
  /// Returns the commit that is checked out in the current folder; `nil` if unknown.
  package var commit: () -> String? = { nil }
  /// Runs `swift package` with arguments in a folder.
  package var swiftPackage = Subprocess.swiftPackage
  /// Runs a command in a folder, and returns its exit code and output.
  package var runCommand: (_ words: [String], _ folder: String) throws -> Subprocess.Result = {
    try Subprocess.run($0, in: $1)
  }
  /// Runs a command in a folder, with environment variables, and lets its output pass through.
  package var shownCommand:
    (_ words: [String], _ variables: [String: String], _ folder: String) throws
      -> ShownCommand.Ending = ShownCommand.run
  /// Returns the source from which a CI job gets Interlock, for Interlock's folder.
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
      // The requirement applies to the trials: this process begins no section of the user's code.
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

  /// The commit as the CI service names it, or otherwise as Git does.
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

  /// The folder of Interlock's package, if this executable is in its build folder.
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

  /// The newest known compiler version that the compiler has reached: its exact version can only be
  /// compared.
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
