/// The exit codes.
package enum ExitCode: Int32, Sendable {
  /// Every expectation was met.
  case met = 0
  /// An expectation was not met, or no trial was judged: a gate that judges nothing is not green.
  case unmet = 1
  /// The command line selects no trial.
  case nothingSelected = 4
  /// The command line is wrong (EX_USAGE).
  case usage = 64
  /// A scenario, or the folder of scenarios, is wrong (EX_DATAERR).
  case badScenario = 65
  /// A fault of Interlock's own, or of the machine (EX_SOFTWARE).
  case ourFault = 70
  /// SIGINT or SIGTERM arrived. The results so far have been printed.
  case interrupted = 130
}
