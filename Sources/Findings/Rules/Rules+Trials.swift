extension Rule {
  /// Results of trials other than faults.
  static let trials: [Rule] = [.notAsExpected, .orderNotTried, .notDeterministic, .notJudged]

  package static let notAsExpected = Rule(
    "not-as-expected", "A trial did not show what its scenario expects of the subject.",
    meaning: """
      The trial passed, or an exploration did not finish, and the scenario expects something else: \
      a known bug that no longer shows, or a potential finding that was not predicted.
      """,
    example: "A scenario expects 'race' of a subject that has been repaired.",
    remedy: """
      If the subject was repaired, change the expectation in the scenario. If not, the scenario no \
      longer provokes the bug: raise its rounds or callers, or turn delays on.
      """)

  package static let orderNotTried = Rule(
    "order-not-tried", "The order of a script was given up, so its interleaving was not tried.",
    meaning: "A role did not reach its place in time, and the trial says nothing about the bug.",
    example: "A script waits for a sync point that the repaired code does not pass.",
    remedy: """
      Correct the script; if this subject's fix makes the order impossible, say so with \
      `"order": "excluded"` in its expectation.
      """)

  package static let notDeterministic = Rule(
    "not-deterministic", "The same choices led to other steps, so an exploration shows nothing.",
    meaning: """
      The explorer replays orders. A body that depends on chance, on real time or on state that it \
      leaves behind makes different calls the second time.
      """,
    example: "for key in Set(keys) { … }   // another order in each process",
    remedy: "Seed what is random, sort what has no order, and make the state in the body.")

  package static let notJudged = Rule(
    "not-judged", "A trial was skipped, and the run must skip none.",
    meaning: "Something that the subject needs is not on this machine or in this build.",
    example: "--fail-on skipped, with a subject that needs SQLite on a machine without it.",
    remedy: "Provide what the message names, or select other subjects.")
}
