extension Rule {
  /// A check in the code itself failed, such as an expectation of a test.
  package static let checkFails = named("checks-hold") ?? orderFails

  /// Checks of a subject. Their identifiers are the names of the oracles in scenario files.
  static let oracles: [Rule] = [
    oracle(
      "completes-once", "An accepted call never completes, or completes more than once.",
      "A completion handler that an early return skips.",
      "Call the completion on every path, exactly once."),
    oracle(
      "values-intact", "A value that is read is not one that was stored under its key.",
      "Two writers fill one buffer.", "Change a value in one step, under the lock of its readers."),
    oracle(
      "count-matches", "The subject's count is not the number of its entries.",
      "count += 1 outside the lock that protects the entries.",
      "Change the count and the entries in one section, or compute the count."),
    oracle(
      "total-cost-matches", "The subject's total cost is not the sum of its entries' costs.",
      "An entry is replaced, and its old cost is not subtracted.",
      "Change the total and the entries in one section."),
    oracle(
      "nothing-lost", "A key that was set and not removed is missing at the end.",
      "Two writers copy a dictionary, and the second copy replaces the first.",
      "Read, change and store in one section."),
    oracle(
      "reads-fresh", "A read returns an older value than one that was complete before it began.",
      "A write that returns before its block on the queue has run.",
      "Let a write complete only when readers can see it."),
    oracle(
      "totals-match", "A sum that the subject keeps differs from a recount.",
      "bytes += size outside the lock.", "Change the sum with what it counts, in one section."),
    oracle(
      "indexes-agree", "The subject's index and its list do not hold the same keys.",
      "An eviction removes from the dictionary and not from the list.",
      "Change all parts in one section, also on errors."),
    oracle(
      "layers-agree", "Two layers hold different values for one key.",
      "A late write to disk replaces a newer value.",
      "Order the writes of a key: one queue for each key."),
    oracle(
      "limits-hold", "A quantity is above its limit at rest.",
      "Two writers see that there is room for one more.", "Test and change in one section."),
    oracle(
      "events-paired", "An announcement has no completion, or a completion no announcement.",
      "willRemove is called, and the entry is gone already.",
      "Announce and complete in the section that decides."),
    oracle(
      "silent-after-cancel", "A request's callback is called after its cancel() has returned.",
      "The callback is queued when cancel() is called.",
      "Test for cancellation where the callback is called, under the request's lock."),
    oracle(
      "checks-hold", "A call reports that a check of its own failed.",
      "A transfer finds a balance that differs from the one that it stored.",
      "See what the check says."),
    oracle(
      "hold-up-bounded", "A call is held up while too many others begin and complete.",
      "A lock that a waiting thread never gets, because others acquire it again at once.",
      "Use a fair lock or a queue, or hold the lock for a shorter time."),
  ]

  private static func oracle(
    _ id: String, _ summary: String, _ example: String, _ remedy: String
  ) -> Rule {
    Rule(
      id, summary,
      meaning: "A scenario asks the oracle '\(id)' of its subject, and it does not hold.",
      example: example, remedy: remedy)
  }

  /// The rule of an oracle, by its name in scenario files.
  package static func oracle(_ name: String) -> Rule { named(name) ?? .orderFails }

  /// Every call completes exactly once.
  package static let completesOnce = oracle("completes-once")
}
