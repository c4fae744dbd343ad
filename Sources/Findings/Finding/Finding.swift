package import Interlock

/// What was found, as every machine-readable report shows it: one fault of the code under test.
///
/// It is made from a conflict, a diagnosis, a predicted finding or a judged trial, and has no text
/// that is escaped for one format.
package struct Finding: Sendable, Hashable, Codable {
  /// How bad it is for a gate.
  package enum Level: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
    /// It is shown, and does not fail the run.
    case warning
    /// It makes the run red.
    case error

    package static func < (left: Level, right: Level) -> Bool {
      left == .warning && right == .error
    }
  }

  /// One of the participants: where it acted, and how it got there.
  package struct Side: Sendable, Hashable, Codable {
    /// What it did, in a few words: `second, at its begin: write`.
    package var title: String
    /// Where it acted; its address may be 0.
    package var place: StackFrame
    /// Its stack, innermost first; empty if none was captured.
    package var stack: [StackFrame]

    /// Describes a participant.
    package init(title: String, place: StackFrame, stack: [StackFrame] = []) {
      self.title = title
      self.place = place
      self.stack = stack
    }
  }

  /// An event of the interleaving or the schedule that showed the fault.
  package struct Step: Sendable, Hashable, Codable {
    /// The thread, task or role that took the step.
    package var party: String
    /// What it did.
    package var text: String
    /// Where; `nil` if that is unknown.
    package var place: StackFrame?

    /// Describes a step.
    package init(party: String, text: String, place: StackFrame? = nil) {
      self.party = party
      self.text = text
      self.place = place
    }
  }

  /// The trial or the test that showed it.
  package struct Origin: Sendable, Hashable, Codable {
    /// The scenario, or the suite.
    package var group: String
    /// The subject, or the test.
    package var name: String
    /// The seed, if the origin has one.
    package var seed: UInt64?
    /// A command that shows it again; `nil` if there is none.
    package var replay: String?
    /// The file that describes it; `nil` if there is none.
    package var file: String?

    /// Describes an origin.
    package init(
      group: String, name: String, seed: UInt64? = nil, replay: String? = nil, file: String? = nil
    ) {
      self.group = group
      self.name = name
      self.seed = seed
      self.replay = replay
      self.file = file
    }
  }

  /// The kind of fault.
  package var rule: Rule
  /// How bad it is for the gate.
  package var level: Level
  /// The finding in one line, with names and places.
  package var message: String
  /// More lines, most important first; may be empty.
  package var details: [String] = []
  /// What is not protected, without an address or a number that changes from run to run; `nil` if
  /// the fault is on no named resource.
  package var resource: String?
  /// The participants; the finding is shown at the place of the first. Empty if no line is known.
  package var sides: [Side] = []
  /// The events that led to it, in their order.
  package var steps: [Step] = []
  /// The trial or the test that showed it; `nil` in a process that runs neither.
  package var origin: Origin?
  /// How many trials or overlaps showed it, at least 1.
  package var count = 1
  /// Of how many trials; `nil` if they are not counted.
  package var attempts: Int?
  /// Why it is known already and does not fail the run; `nil` for a new finding.
  package var knownBecause: String?

  /// Describes a finding at a level of its own, or at that of its rule.
  package init(_ rule: Rule, level: Level? = nil, message: String) {
    self.rule = rule
    self.level = level ?? rule.level
    self.message = message
  }

  /// Where the finding is shown; `nil` if no line is known.
  package var place: StackFrame? { sides.first?.place }

  /// `3 of 10 trials`, if it was tried more than once; else `nil`.
  package var frequency: String? {
    guard let attempts, attempts > 1 else { return nil }
    return "\(count) of \(attempts) trials"
  }

  /// The message with what a reader of several findings needs: how often, and whether it is known.
  package var headline: String {
    var text = message
    if let frequency { text += " (\(frequency))" }
    if let knownBecause { text += " (known: \(knownBecause))" }
    return text
  }
}

extension StackFrame {
  /// A line of source code, as a frame without an address.
  package init(_ place: Place) {
    self.init(
      address: 0, function: place.function.isEmpty ? nil : place.function,
      file: place.line > 0 ? place.file : nil, line: place.line > 0 ? place.line : nil)
  }

  /// Whether a line of a file is known.
  package var hasLine: Bool { file != nil && (line ?? 0) > 0 }
}
