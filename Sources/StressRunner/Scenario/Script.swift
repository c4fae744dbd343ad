/// A few callers and the order in which they reach certain places: an interleaving, as data.
///
/// It makes certain what stress would find once in a million: `order` names sync points
/// (`SYNC_POINT`) and the beginnings and ends of calls, and a role moves on only when its next step
/// is the next of all.
public struct Script: Sendable, Hashable, Codable {
  /// One call of a role.
  public struct Call: Sendable, Hashable, Codable {
    /// What is called.
    public var kind: Operation.Kind
    /// On which key, from 0.
    public var key: Int
    /// Which of the key's values is stored, from 0: two numbers, two values.
    public var value: Int
    /// The size of that value.
    public var bytes: Int
    /// What the value costs.
    public var cost: Int
    /// How often, one after the other.
    public var times: Int
    /// Whether the role's next call waits until this one has completed.
    public var waits: Bool

    /// Describes a call.
    public init(
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
  public struct Role: Sendable, Hashable, Codable {
    /// What `order` calls it: a capital letter, or a word.
    public var name: String
    /// What it calls, in this order.
    public var calls: [Call]

    /// Describes a caller.
    public init(_ name: String, _ calls: [Call]) {
      self.name = name
      self.calls = calls
    }
  }

  /// A place that a role reaches.
  public struct Step: Sendable, Hashable, Codable {
    /// Who.
    public var role: String
    /// A sync point's name, or `call 1 begins`, or `call 1 ends`.
    public var point: String

    /// Describes a step.
    public init(_ role: String, _ point: String) {
      self.role = role
      self.point = point
    }

    /// "A reaches cache.get.afterMiss".
    var text: String {
      point.hasPrefix("call ") ? "\(role)'s \(point)" : "\(role) reaches \(point)"
    }
  }

  /// The calls that are made one after the other before any role begins.
  public var preparation: [Call]
  /// The callers, in the order of the file.
  public var roles: [Role]
  /// The order: who moves, and how far. A role that has no step in it moves as it likes.
  public var order: [Step]
  /// How long the order may take; then, or as soon as nothing moves any more, everybody is let go.
  public var seconds: Double

  /// Describes a script.
  public init(
    preparation: [Call] = [], roles: [Role], order: [Step], seconds: Double = Script.defaultSeconds
  ) {
    self.preparation = preparation
    self.roles = roles
    self.order = order
    self.seconds = seconds
  }

  /// How long an order may take unless the file says otherwise: below the default stall window.
  public static let defaultSeconds = 1.5

  /// How many calls the roles make in all.
  public var callCount: Int {
    roles.reduce(0) { $0 + $1.calls.reduce(0) { $0 + $1.times } }
  }

  /// Every call that stands in the script, once.
  var allCalls: [Call] { preparation + roles.flatMap(\.calls) }
}

/// What came of a script's order.
public struct ScriptRecord: Sendable, Hashable, Codable {
  /// Something that a role did.
  public struct Passage: Sendable, Hashable, Codable {
    /// Who; `nil` for a thread that belongs to no role.
    public var role: String?
    /// "get key-0", "reaches cache.get.afterMiss", "key-0 is value 1".
    public var text: String

    /// Describes a passage.
    public init(role: String?, text: String) {
      self.role = role
      self.text = text
    }
  }

  /// What happened, in this order.
  public var passages: [Passage]
  /// Why the order was given up; `nil` where it was kept.
  public var givenUp: String?

  /// Describes an outcome.
  public init(passages: [Passage], givenUp: String? = nil) {
    self.passages = passages
    self.givenUp = givenUp
  }
}
