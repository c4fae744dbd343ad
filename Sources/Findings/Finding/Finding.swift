package import Interlock

/// A finding, as every machine-readable report shows it: one fault of the code under test.
///
/// It is created from a conflict, a diagnosis, a predicted finding or a judged trial. Its texts are
/// not escaped for any format.
package struct Finding: Sendable, Hashable, Codable {
  /// The severity of a finding for a gate.
  package enum Level: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
    /// The finding is shown, and does not fail the run.
    case warning
    /// The finding fails the run.
    case error

    package static func < (left: Level, right: Level) -> Bool {
      left == .warning && right == .error
    }
  }

  /// A participant: where it acted, and the stack that led there.
  package struct Side: Sendable, Hashable, Codable {
    /// The action, in a few words: `second, at its begin: write`.
    package var title: String
    /// Where the participant acted; the frame's address may be 0.
    package var place: StackFrame
    /// The stack, innermost frame first; empty if none was captured.
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
    /// The action of the step.
    package var text: String
    /// The place of the step; `nil` if unknown.
    package var place: StackFrame?

    /// Describes a step.
    package init(party: String, text: String, place: StackFrame? = nil) {
      self.party = party
      self.text = text
      self.place = place
    }
  }

  /// The trial or test that showed the fault.
  package struct Origin: Sendable, Hashable, Codable {
    /// The scenario, or the suite.
    package var group: String
    /// The subject, or the test.
    package var name: String
    /// The seed, if the origin has one.
    package var seed: UInt64?
    /// A command that shows the fault again; `nil` if there is none.
    package var replay: String?
    /// The file that describes the trial; `nil` if there is none.
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
  /// The severity for the gate.
  package var level: Level
  /// The finding in one line, with names and places.
  package var message: String
  /// Further lines, the most important first; may be empty.
  package var details: [String] = []
  /// The unprotected resource, without an address or a number that changes between runs; `nil` if
  /// the fault has no named resource.
  package var resource: String?
  /// The participants. The finding is shown at the place of the first. Empty if no line is known.
  package var sides: [Side] = []
  /// The events that led to the fault, in their order.
  package var steps: [Step] = []
  /// The trial or test that showed the fault; `nil` in a process that runs neither.
  package var origin: Origin?
  /// The number of trials or overlaps that showed the fault, at least 1.
  package var count = 1
  /// The number of trials that were made; `nil` if they are not counted.
  package var attempts: Int?
  /// Why the finding is known and does not fail the run; `nil` for a new finding.
  package var knownBecause: String?

  /// Describes a finding; `level` is that of the rule by default.
  package init(_ rule: Rule, level: Level? = nil, message: String) {
    self.rule = rule
    self.level = level ?? rule.level
    self.message = message
  }

  /// The place at which the finding is shown; `nil` if no line is known.
  package var place: StackFrame? { sides.first?.place }

  /// `3 of 10 trials`, if there was more than one trial; otherwise `nil`.
  package var frequency: String? {
    guard let attempts, attempts > 1 else { return nil }
    return "\(count) of \(attempts) trials"
  }

  /// The message, with the frequency and the reason for a known finding.
  package var headline: String {
    var text = message
    if let frequency { text += " (\(frequency))" }
    if let knownBecause { text += " (known: \(knownBecause))" }
    return text
  }
}

extension StackFrame {
  /// Creates a frame without an address from a source line.
  package init(_ place: Place) {
    self.init(
      address: 0, function: place.function.isEmpty ? nil : place.function,
      file: place.line > 0 ? place.file : nil, line: place.line > 0 ? place.line : nil)
  }

  /// True if the file and the line are known.
  package var hasLine: Bool { file != nil && (line ?? 0) > 0 }
}
