/// Two owners in sections on one resource at the same time, at least one of which writes.
public struct Conflict: Sendable, Hashable, Codable {
  /// One of the two owners.
  public struct Side: Sendable, Hashable, Codable {
    /// The mode of the section: it reads or writes.
    public var mode: Mode
    /// True if the section's author claims that a real lock is held.
    public var synched: Bool
    /// The part of the resource that the section is on, as text; `nil` for the whole.
    public var part: String?
    /// Where the section begins.
    public var place: Place
    /// The thread's name; its number if it has no name.
    public var thread: String
    /// The label of the Dispatch queue that the section began on, if any.
    public var queue: String?
    /// The number of the task that owns the section; `nil` if a thread owns it.
    public var task: UInt64?
    /// The call stack at the begin, innermost frame first, at most `stack_depth` frames.
    public var stack: [StackFrame]
    /// The reason why the stack is shorter than it should be; `nil` if it is complete.
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

  /// The near-miss delay that held the first section open when the second began.
  public struct HeldOpen: Sendable, Hashable, Codable {
    /// The time that the section had been held open, in microseconds.
    public var microseconds: Int
    /// The seed that decided the delay; pass it to the next run with `delay_seed=`.
    public var seed: UInt64

    /// Describes a delay.
    public init(microseconds: Int, seed: UInt64) {
      self.microseconds = microseconds
      self.seed = seed
    }
  }

  /// A value that changed during a reading section although it had to stay the same.
  public struct Witness: Sendable, Hashable, Codable {
    /// The value when the section began, as text.
    public var before: String
    /// The value when the section ended, as text.
    public var after: String

    /// Describes a change.
    public init(before: String, after: String) {
      self.before = before
      self.after = after
    }
  }

  /// The name of the resource.
  public var resource: String
  /// The resource of a property without a name, without the line number that `resource` contains:
  /// an edit above the property changes the line. `nil` if `resource` is a name.
  package var fileOfProperty: String?
  /// The instance that the resource belongs to; `nil` if the name alone is the resource.
  ///
  /// `#3` for a `Section`, type and address for an object. If a conflict counts the overlaps on
  /// several instances, it is the first.
  public var instance: String?
  /// The owner whose section was open.
  public var first: Side
  /// The owner whose section began meanwhile.
  public var second: Side
  /// The number of times that this pair of places overlapped on this resource, at least 1; unless a
  /// handler is set, on all instances of its name.
  public var count: Int
  /// The near-miss delay that held the first section open; `nil` for none. The overlap is real
  /// either way.
  public var heldOpen: HeldOpen?

  /// The changed value, if no marked section overlapped the first one; `nil` for two overlapping
  /// sections.
  ///
  /// The second side then stands for unknown, unmarked code.
  public var witness: Witness?

  /// Describes a conflict.
  public init(resource: String, first: Side, second: Side, count: Int = 1) {
    self.resource = resource
    self.first = first
    self.second = second
    self.count = count
  }

  /// The text that replaces the location of an unmarked writer.
  static let unmarked = "unmarked code"

  /// The part on which the two sections overlapped, as text; `nil` if both are on the whole.
  ///
  /// If the same two places overlap several times, it is the part of the first overlap.
  public var part: String? { first.part ?? second.part }

  /// The identity of the resource across runs.
  package var lastingResource: String { fileOfProperty ?? resource }

  /// The resource with its instance, and the part on which the two sections overlapped.
  package var fullName: String {
    resource + (instance.map { " \($0)" } ?? "") + (part.map { " [\($0)]" } ?? "")
  }
}
