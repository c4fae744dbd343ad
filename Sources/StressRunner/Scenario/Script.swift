/// A few callers and the order in which they reach certain points: an interleaving, as data.
///
/// A script forces an interleaving that stress would find once in a million runs. `order` names
/// sync points (`SYNC_POINT`) and the beginnings and ends of calls. A role continues only when its
/// next step is the next one in `order`.
package struct Script: Sendable, Hashable, Codable {
  /// One call of a role.
  package struct Call: Sendable, Hashable, Codable {
    /// The kind of call.
    package var kind: Operation.Kind
    /// The key, by its number from 0.
    package var key: Int
    /// The number of the value to store, from 0: different numbers are different values.
    package var value: Int
    /// The size of the value in bytes.
    package var bytes: Int
    /// The value's cost.
    package var cost: Int
    /// The number of times that the call is made in a row.
    package var times: Int
    /// True if the role's next call waits until this call has completed.
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

  /// One caller, on its own thread.
  package struct Role: Sendable, Hashable, Codable {
    /// The role's name in `order`: a capital letter, or a word.
    package var name: String
    /// The role's calls, in this order.
    package var calls: [Call]

    /// Describes a caller.
    package init(_ name: String, _ calls: [Call]) {
      self.name = name
      self.calls = calls
    }
  }

  /// A point that a role reaches.
  package struct Step: Sendable, Hashable, Codable {
    /// The role's name.
    package var role: String
    /// The name of a sync point, or `call 1 begins`, or `call 1 ends`.
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

  /// The sync points between which a call is held up.
  package struct HeldUp: Sendable, Hashable, Codable {
    /// The sync point at which the hold-up begins, when the call first reaches it.
    package var from: String
    /// The sync point at which the hold-up ends, when the call last reaches it.
    package var until: String

    /// Describes a hold-up.
    package init(from: String, until: String) {
      self.from = from
      self.until = until
    }
  }

  /// The calls that are made one after another before any role begins.
  package var preparation: [Call]
  /// The callers, in the order of the file.
  package var roles: [Role]
  /// The order of the steps. A role without a step runs freely.
  package var order: [Step]
  /// The time limit of the order, in seconds. After it, or as soon as every thread is blocked, all
  /// roles run freely.
  package var seconds: Double
  /// The points between which a call is held up, for `hold-up-bounded`; `nil` for the whole call.
  package var heldUp: HeldUp?

  /// Describes a script.
  package init(
    preparation: [Call] = [], roles: [Role], order: [Step],
    seconds: Double = Script.defaultSeconds, heldUp: HeldUp? = nil
  ) {
    self.preparation = preparation
    self.roles = roles
    self.order = order
    self.seconds = seconds
    self.heldUp = heldUp
  }

  /// The default time for an order: shorter than the default stall window.
  package static let defaultSeconds = 1.5

  /// The number of calls that all roles make.
  package var callCount: Int {
    roles.reduce(0) { $0 + $1.calls.reduce(0) { $0 + $1.times } }
  }

  /// Every call in the script, listed once.
  var allCalls: [Call] { preparation + roles.flatMap(\.calls) }
}

/// The outcome of a script's order.
package struct ScriptRecord: Sendable, Hashable, Codable {
  /// An event in a role's execution.
  package struct Passage: Sendable, Hashable, Codable {
    /// The role; `nil` for a thread that has no role.
    package var role: String?
    /// "get key-0", "reaches cache.get.afterMiss", "key-0 is value 1".
    package var text: String

    /// Describes an event.
    package init(role: String?, text: String) {
      self.role = role
      self.text = text
    }
  }

  /// The events, in order.
  package var passages: [Passage]
  /// Why the order was given up; `nil` if it was completed.
  package var givenUp: String?

  /// Describes an outcome.
  package init(passages: [Passage], givenUp: String? = nil) {
    self.passages = passages
    self.givenUp = givenUp
  }
}
