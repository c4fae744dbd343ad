/// Two accesses of the same memory that nothing orders, at least one of which writes.
package struct MemoryRace: Sendable, Hashable, Codable {
  /// A lock or queue that a thread held.
  package struct Lock: Sendable, Hashable, Codable {
    /// Its address, as text.
    package var object: String
    /// Where it was acquired; `nil` if that is not known.
    package var place: StackFrame?
    /// Whether others may hold it at the same time: it is held for reading.
    package var isShared: Bool

    /// Describes a lock.
    package init(object: String, place: StackFrame? = nil, isShared: Bool = false) {
      self.object = object
      self.place = place
      self.isShared = isShared
    }
  }

  /// One of the two accesses.
  package struct Side: Sendable, Hashable, Codable {
    /// Whether it writes.
    package var isWrite: Bool
    /// Whether it is an atomic operation.
    package var isAtomic = false
    /// The first byte.
    package var address: UInt
    /// How many bytes; of a change in place 1, where it begins.
    package var size: Int
    /// Whether the thread, task, queue and locks are known.
    package var isKnown = true
    /// The number of the explored thread in schedules; `nil` for none.
    package var exploredThread: Int?
    /// The name that a schedule gives to the explored thread or its task; `nil` for none.
    package var party: String?
    /// The system's number of the thread; `nil` if it is not known.
    package var thread: Int?
    /// The number of the task; `nil` for none.
    package var task: UInt64?
    /// The label of the queue; `nil` for none.
    package var queue: String?
    /// What the thread held.
    package var locks: [Lock] = []
    /// The line of the user's code that makes the access, or as much of it as is known.
    package var place: StackFrame
    /// The call stack, the access first; empty if there was no room to record it.
    package var stack: [StackFrame]

    /// Describes an access of a thread that is known.
    package init(
      isWrite: Bool, address: UInt, size: Int, thread: Int? = nil, place: StackFrame,
      stack: [StackFrame] = []
    ) {
      self.isWrite = isWrite
      self.address = address
      self.size = size
      self.thread = thread
      self.place = place
      self.stack = stack
    }
  }

  /// The access that was found in the shadow state.
  package var first: Side
  /// The access that the reporting thread made.
  package var second: Side
  /// The variable or property that both access: `Users.names`; `nil` if it has no name.
  package var variable: String?
  /// The user's source files that are compiled without `-sanitize=thread`, and whose code may order
  /// the two unseen: `queue.c`. Empty if none may.
  package var plainCode: [String] = []

  /// Whether it is known that nothing orders the two.
  package var isDecided: Bool { plainCode.isEmpty }

  /// Describes a race.
  package init(first: Side, second: Side) {
    self.first = first
    self.second = second
  }

  /// The two places in either order, which identify the race within a process.
  package var places: Set<String> {
    [first.place(beside: second), second.place(beside: first)]
  }

  /// The place of one side if that of the other is not known.
  package var onlyPlace: String? {
    if first.isPlaceKnown == second.isPlaceKnown { return nil }
    return first.isPlaceKnown ? first.place(beside: second) : second.place(beside: first)
  }
}

extension MemoryRace.Side {
  /// Whether there was room to record the place.
  package var isPlaceKnown: Bool { place.address != 0 || place.function != nil }

  /// The function and the line; the line of the other side if this side has none in the same
  /// function, as the beginning of a mutation in place.
  fileprivate func place(beside other: Self) -> String {
    let beside = other.place.function == place.function ? other.place.line ?? 0 : 0
    // Code that the compiler generated has line 0.
    let own = place.line ?? 0
    return "\(place.function ?? "")\u{0}\(own > 0 ? own : beside)"
  }
}
