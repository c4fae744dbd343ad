public import Comparison
import Findings
import Foundation
import Interlock
public import StressRunner

/// A stress executable: the whole command line, for your own subjects and scenarios.
///
///     import InterlockStress
///
///     @main struct Stress: StressCommand {
///       static let subjects = [SubjectEntry(name: "my-cache", summary: "…") { MyCacheSubject() }]
///     }
///
/// The executable starts itself again for each trial. Create a subject only in the closure of its
/// entry: the child does not have the state of the parent process.
public protocol StressCommand {
  /// The subjects on which scenarios are replayed; at least one, with unique names.
  static var subjects: [SubjectEntry] { get }

  /// The folder of scenarios, unless `--scenarios` names another one; `StressScenarios` by default.
  ///
  /// A relative folder is searched in the current folder and then in its parents, up to the first
  /// folder with a `Package.swift`.
  static var scenarioFolder: String { get }

  /// The strategies that `compare` measures in addition to the subjects; the built-in ones by
  /// default.
  ///
  /// To add your own lock:
  /// `StrategyEntry.builtIn + [.lock("mine", "a lock of mine") { MyLock() }]`.
  static var strategies: [StrategyEntry] { get }

  /// The benches that `bench` can run; none by default.
  static var benches: [BenchEntry] { get }
}

extension StressCommand {
  /// Returns `StressScenarios`, in the current folder or above it.
  public static var scenarioFolder: String { "StressScenarios" }

  /// Returns the strategies of this package.
  public static var strategies: [StrategyEntry] { StrategyEntry.builtIn }

  /// Returns no benches.
  public static var benches: [BenchEntry] { [] }

  /// Runs the command that the arguments state, and ends the process.
  ///
  /// The exit code is 0 if every expectation was met; 1 if an expectation was not met, no trial was
  /// judged, or a resource that had to be tested was not; 4 if nothing was selected; 64 for wrong
  /// usage; 65 for an invalid scenario or baseline; 70 for a fault of Interlock itself; 130 after
  /// an interrupt.
  public static func main() { start() }

  /// Like `main`, for an executable with its own `main`. It may have a main job, scenarios in place
  /// of a folder, command lines that replace an empty one, and its own default for the number of
  /// trials that run at a time.
  package static func start(
    mainJob: World.MainJob? = nil, scenarios: [Scenario] = [], commands: [[String]] = [[]],
    jobs: Int? = nil
  ) {
    OwnCode.register(OwnCode.interlockStress)
    // Do this first: a child has no command line to parse, and no other thread may have started.
    let listed = strategies
    let names = Set(listed.map(\.name))
    let locks = subjects.compactMap { $0.strategy as? StrategyEntry }
    let strategies = listed + locks.filter { !names.contains($0.name) }
    TrialHost.runIfChild(subjects: subjects + strategies.map(\.trialSubject))
    // A reader that closes its end early must not kill the run: the results may also go to a file.
    signal(SIGPIPE, SIG_IGN)
    // A file that has reached its size limit is reported as an error, and the run ends with its
    // results.
    signal(SIGXFSZ, SIG_IGN)
    var world = World.process(
      subjects: subjects, strategies: strategies, scenarioFolder: scenarioFolder, benches: benches,
      mainJob: mainJob)
    world.ownScenarios = scenarios
    if let jobs { world.defaultJobs = jobs }
    // Change the environment only now: `world` has a copy of the original.
    ServiceReports.take()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Perform each command, even after one that fails.
    let codes = (arguments.isEmpty ? commands : [arguments]).map { world.perform($0) }
    exit((codes.first { $0 != .met } ?? .met).rawValue)
  }
}
