extension World {
  /// The exit codes of a command with their meanings; empty if they need no explanation.
  func exitCodes(of command: CommandName) -> [(label: String, text: String)] {
    switch command {
    case .run:
      [
        ("0", "Every expectation was met."),
        ("1", "An expectation was not met, no trial was judged, or a resource was not tested."),
        ("4", "The command line selects no trial."),
        ("64", "The command line is wrong."),
        ("65", "A scenario or the baseline is wrong."),
        ("70", "A fault of Interlock's own, or of the machine."),
        ("130", "Interrupted; what was judged so far has been printed."),
      ]
    case .explore:
      [
        ("0", "Every expectation was met; if there is none, no order failed."),
        ("1", "An expectation was not met, or nothing was explored."),
        ("4", "The command line selects no trial."),
        ("64", "The command line, or the token, is wrong."),
        ("65", "A scenario or the baseline is wrong."),
        ("70", "A fault of Interlock's own, or of the machine."),
        ("130", "Interrupted; what was explored so far has been printed."),
      ]
    case .hunt:
      [
        ("0", "Orders were tried, and none failed."),
        ("1", "An order fails a test, a test failed as usual, or nothing could be explored."),
        ("4", "No test matches the filter."),
        ("64", "The command line is wrong, or no test target links InterlockTesting."),
        ("65", "The manifest cannot be read."),
        ("70", "The tests could not be built, or a fault of Interlock's own."),
        ("130", "Interrupted."),
      ]
    case .compare:
      [
        ("0", "Measured; a strategy that is wrong is listed, and has no rank."),
        ("1", "A strategy is slower than the baseline allows, or none could be ranked."),
        ("64", "The command line is wrong, or this is a debug build."),
        ("65", "A scenario or the baseline is wrong."),
        ("70", "A fault of Interlock's own, or of the machine."),
        ("130", "Interrupted; what was measured so far has been printed."),
      ]
    default: []
    }
  }
}
