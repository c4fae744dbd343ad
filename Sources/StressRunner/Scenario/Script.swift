/// A few callers and the order in which they reach certain places: an interleaving, as data.
///
/// It makes certain what stress would find once in a million: `order` names sync points
/// (`SYNC_POINT`) and the beginnings and ends of calls, and a role moves on only when its next step
/// is the next of all.
package struct Script: Sendable, Hashable, Codable {
  /// One call of a role.
  package struct Call: Sendable, Hashable, Codable {
    /// What is called.
    package var kind: Operation.Kind
    /// On which key, from 0.
    package var key: Int
    /// Which of the key's values is stored, from 0: two numbers, two values.
    package var value: Int
    /// The size of that value.
    package var bytes: Int
    /// What the value costs.
    package var cost: Int
    /// How often, one after the other.
    package var times: Int
    /// Whether the role's next call waits until this one has completed.
    package var waits: Bool

    /// Describes a call.
    package init(
      _ kind: Operation.Kind, key: Int = 0, value: Int = 0, bytes: Int = 64, cost: Int? = nil,
      times: Int = 1, waits: Bool? = nil
    ) {
      self.kind = kind
      self.key = key
      self.value = value
      self.bytes = bytes
      self.cost = cost ?? bytes
      self.times = times
      self.waits = waits ?? !kind.isAsynchronous
    }
  }

  /// One caller: a thread of its own.
  package struct Role: Sendable, Hashable, Codable {
    /// What `order` calls it: a capital letter, or a word.
    package var name: String
    /// What it calls, in this order.
    package var calls: [Call]

    /// Describes a caller.
    package init(_ name: String, _ calls: [Call]) {
      self.name = name
      self.calls = calls
    }
  }

  /// A place that a role reaches.
  package struct Step: Sendable, Hashable, Codable {
    /// Who.
    package var role: String
    /// A sync point's name, or `call 1 begins`, or `call 1 ends`.
    package var point: String

    /// Describes a step.
    package init(_ role: String, _ point: String) {
      self.role = role
      self.point = point
    }

    /// "A reaches cache.get.afterMiss".
    var text: String {
      point.hasPrefix("call ") ? "\(role)'s \(point)" : "\(role) reaches \(point)"
    }
  }

  /// The calls that are made one after the other before any role begins.
  package var preparation: [Call]
  /// The callers, in the order of the file.
  package var roles: [Role]
  /// The order: who moves, and how far. A role that has no step in it moves as it likes.
  package var order: [Step]
  /// How long the order may take; then, or as soon as nothing moves any more, everybody is let go.
  package var seconds: Double

  /// Describes a script.
  package init(
    preparation: [Call] = [], roles: [Role], order: [Step], seconds: Double = Script.defaultSeconds
  ) {
    self.preparation = preparation
    self.roles = roles
    self.order = order
    self.seconds = seconds
  }

  /// How long an order may take unless the file says otherwise: below the default stall window.
  package static let defaultSeconds = 1.5

  /// How many calls the roles make in all.
  package var callCount: Int {
    roles.reduce(0) { $0 + $1.calls.reduce(0) { $0 + $1.times } }
  }

  /// Every call that stands in the script, once.
  var allCalls: [Call] { preparation + roles.flatMap(\.calls) }
}

/// What came of a script's order.
package struct ScriptRecord: Sendable, Hashable, Codable {
  /// Something that a role did.
  package struct Passage: Sendable, Hashable, Codable {
    /// Who; `nil` for a thread that belongs to no role.
    package var role: String?
    /// "get key-0", "reaches cache.get.afterMiss", "key-0 is value 1".
    package var text: String

    /// Describes a passage.
    package init(role: String?, text: String) {
      self.role = role
      self.text = text
    }
  }

  /// What happened, in this order.
  package var passages: [Passage]
  /// Why the order was given up; `nil` where it was kept.
  package var givenUp: String?

  /// Describes an outcome.
  package init(passages: [Passage], givenUp: String? = nil) {
    self.passages = passages
    self.givenUp = givenUp
  }
}
