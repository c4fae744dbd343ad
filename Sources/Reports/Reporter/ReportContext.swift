package import Findings
import StressRunner

/// The data of a report in addition to its results: the tool, the machine, and how to replay a
/// trial.
package struct ReportContext: Sendable {
  /// The machine that the trials ran on.
  package struct Host: Sendable, Hashable {
    /// The system and its version.
    package var system: String
    /// The number of processors that may be used.
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

  /// The waiting and waking calls that a build can follow.
  package enum Sight: Sendable, Hashable, CaseIterable {
    /// All calls.
    case everything
    /// All calls except those of Dispatch, which is linked in statically.
    case withoutDispatch
    /// No calls: ThreadSanitizer's own interceptors have the same names.
    case sanitized
    /// No calls: the package trait `UnseenCalls` turns interposition off.
    case leftOut
    /// No calls, on this system.
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
  /// The parts of the original command that a replay command repeats.
  package var replay: Replay
  /// The calls of the children that are followed. Without them, hangs cannot be explained.
  package var sight: Sight
  /// The command that runs the trials: `run` or `explore`.
  package var activity = "run"
  /// The beginning of the run, in seconds since 1970.
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
