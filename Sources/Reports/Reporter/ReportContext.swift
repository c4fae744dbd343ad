package import Findings
import StressRunner

/// What a report states in addition to its results: the tool, the machine, and how to replay a
/// trial.
package struct ReportContext: Sendable {
  /// The machine that the trials ran on.
  package struct Host: Sendable, Hashable {
    /// The system and its version.
    package var system: String
    /// Processors that may be used.
    package var cores: Int
    /// The version of the compiler that built this executable.
    package var swift: String

    /// Describes a machine.
    package init(system: String, cores: Int, swift: String) {
      self.system = system
      self.cores = cores
      self.swift = swift
    }
  }

  /// Which of the calls that wait and wake a build can see.
  package enum Sight: Sendable, Hashable, CaseIterable {
    /// All of them.
    case everything
    /// All except those of Dispatch, which is linked in statically.
    case withoutDispatch
    /// None: ThreadSanitizer's own interceptors have the same names.
    case sanitized
    /// None: the package trait `UnseenCalls` turns interposition off.
    case leftOut
    /// None, on this system.
    case unsupportedSystem
  }

  /// The version of this package.
  package var version: String
  /// The machine.
  package var host: Host
  /// The seed of every trial; `nil` if each scenario uses its own.
  package var seed: UInt64?
  /// The name of the executable, for the command that replays a trial.
  package var command: String
  /// What a replay command repeats of the command that ran the trial.
  package var replay: Replay
  /// Which of the children's calls are seen. Hangs cannot be explained without them.
  package var sight: Sight
  /// What runs the trials: `run` or `explore`.
  package var activity = "run"
  /// When the run began, in seconds since 1970.
  package var began = 0
  /// The source files that findings refer to.
  package var repository = Repository(root: "/", listing: { _ in [] })
  /// The paths of the scenarios' files, by the scenarios' names.
  package var scenarioFiles: [String: String] = [:]

  /// Describes a run.
  package init(
    version: String, host: Host, seed: UInt64?, command: String, replay: Replay = Replay(),
    sight: Sight = .everything
  ) {
    self.version = version
    self.host = host
    self.seed = seed
    self.command = command
    self.replay = replay
    self.sight = sight
  }
}
