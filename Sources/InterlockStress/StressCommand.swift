public import Comparison
import Foundation
import Interlock
public import StressRunner

/// A stress executable: the whole command line, over subjects and scenarios of one's own.
///
///     import InterlockStress
///
///     @main struct Stress: StressCommand {
///       static let subjects = [SubjectEntry(name: "my-cache", summary: "…") { MyCacheSubject() }]
///     }
///
/// The executable starts itself again for each trial, so a subject must be made by nothing but its
/// entry: what else the parent process did is not there in the child.
public protocol StressCommand {
  /// What scenarios are replayed on; at least one, no two of one name.
  static var subjects: [SubjectEntry] { get }

  /// Where scenarios are unless `--scenarios` says so; `StressScenarios` by default.
  ///
  /// A relative folder is looked for in the current folder, then in those above it, up to the first
  /// that holds a `Package.swift`.
  static var scenarioFolder: String { get }

  /// What `compare` measures against each other, beside the subjects; the built-in strategies by
  /// default. A lock of one's own is added:
  /// `StrategyEntry.builtIn + [.lock("mine", "a lock of mine") { MyLock() }]`.
  static var strategies: [StrategyEntry] { get }

  /// What `bench` can measure; nothing by default.
  static var benches: [BenchEntry] { get }
}

extension StressCommand {
  /// `StressScenarios`, in the current folder or above it.
  public static var scenarioFolder: String { "StressScenarios" }

  /// Those of this package.
  public static var strategies: [StrategyEntry] { StrategyEntry.builtIn }

  /// None.
  public static var benches: [BenchEntry] { [] }

  /// Runs the command that the arguments give, and ends the process.
  ///
  /// The exit code: 0 every expectation was met; 1 one was not, nothing was judged, or a
  /// resource was not tested that had to be; 64 wrong usage; 65 a
  /// bad scenario; 70 a fault of Interlock's own; 130 interrupted.
  public static func main() { start() }

  /// As `main`, for an executable that has a `main` of its own.
  package static func start() {
    OwnCode.register(OwnCode.interlockStress)
    // First of all: in a child there is nothing to parse, and nothing else may have started.
    TrialHost.runIfChild(subjects: subjects + strategies.map(\.trialSubject))
    // A reader that closes its end early must not kill the run: its results may go to a file as
    // well.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more is an error of its own, and the run ends with its results.
    signal(SIGXFSZ, SIG_IGN)
    let world = World.process(
      subjects: subjects, strategies: strategies, scenarioFolder: scenarioFolder, benches: benches)
    exit(world.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
