/// Two owners in sections on one resource at once, at least one of them to write.
public struct Conflict: Sendable, Hashable, Codable {
  /// One of the two owners.
  public struct Side: Sendable, Hashable, Codable {
    /// What the section lets others do.
    public var mode: Mode
    /// Whether its author says that a real lock is held.
    public var synched: Bool
    /// The part of the resource that the section is on, in words; `nil` for the whole.
    public var part: String?
    /// Where the section begins.
    public var place: Place
    /// The thread's name, or its number where it has none.
    public var thread: String
    /// The label of the Dispatch queue that the section began on, if any.
    public var queue: String?
    /// The number of the task that owns the section; `nil` where a thread owns it.
    public var task: UInt64?
    /// The call stack at begin, innermost first, at most `stack_depth` frames.
    public var stack: [StackFrame]
    /// Why the stack is shorter than it should be; `nil` where it is whole.
    public var stackNote: String?

    /// Describes one owner.
    public init(
      mode: Mode, synched: Bool, place: Place, thread: String, queue: String?, task: UInt64? = nil,
      stack: [StackFrame], stackNote: String? = nil
    ) {
      self.mode = mode
      self.synched = synched
      self.place = place
      self.thread = thread
      self.queue = queue
      self.task = task
      self.stack = stack
      self.stackNote = stackNote
    }
  }

  /// What held the first section open as the second came: a near-miss delay.
  public struct HeldOpen: Sendable, Hashable, Codable {
    /// For how long it had been, in microseconds.
    public var microseconds: Int
    /// The seed that the delay was decided by: `delay_seed=` of the next run.
    public var seed: UInt64

    /// Describes a delay.
    public init(microseconds: Int, seed: UInt64) {
      self.microseconds = microseconds
      self.seed = seed
    }
  }

  /// A value that had to stay as it was through a section that reads, and did not.
  public struct Witness: Sendable, Hashable, Codable {
    /// The value as the section began, in words.
    public var before: String
    /// The value as it ended.
    public var after: String

    /// Describes a change.
    public init(before: String, after: String) {
      self.before = before
      self.after = after
    }
  }

  /// The name of the resource.
  public var resource: String
  /// Which instance the resource belongs to: `#3` of a `Section`, type and address of an object;
  /// `nil` where the name alone is the resource.
  public var instance: String?
  /// The owner that was in.
  public var first: Side
  /// The owner that came.
  public var second: Side
  /// How often this pair of places met on this resource, at least 1.
  public var count: Int
  /// The near-miss delay that the first owner was in; `nil` where it was in none. The two met all
  /// the same.
  public var heldOpen: HeldOpen?

  /// What changed, where nobody who is marked met the first section: the second side then stands
  /// for whoever wrote, and nothing is known of it. `nil` for two sections that met.
  public var witness: Witness?

  /// Describes a conflict.
  public init(resource: String, first: Side, second: Side, count: Int = 1) {
    self.resource = resource
    self.first = first
    self.second = second
    self.count = count
  }

  /// What stands for the place of whoever changed what a witness tells of.
  static let unmarked = "unmarked code"

  /// The part that the two met in, in words; `nil` where both are on the whole. Of equal parts of
  /// several overlaps at two places, that of the first.
  public var part: String? { first.part ?? second.part }

  /// The resource with the instance that it belongs to, and the part that the two met in.
  package var fullName: String {
    resource + (instance.map { " \($0)" } ?? "") + (part.map { " [\($0)]" } ?? "")
  }
}
