// Sections on a part of a resource: a key, an index, a row. Two owners on different parts do not
// conflict. A section on the whole (without a part) conflicts with a section on any part, unless
// both read. Two parts are the same if their types and values are equal. The value is kept until
// the section ends; it is not computed if tracking is not compiled in. A section costs one or two
// memory allocations, and a report shows at most 12 frames of its stack.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

extension Section {
  /// Runs `body` as a section that reads a part. Others may read the part, and write other parts.
  ///
  /// A conflict is reported before `body` runs. `synched` claims that a real lock is held.
  @_transparent
  public func read<Key: Hashable & Sendable, R: ~Copyable, Failure: Error>(
    _ part: @autoclosure () -> Key, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    try block(writes: false, part: part(), synched(), file, function, line, body)
    #else
    try body()
    #endif
  }

  /// Runs `body` as a section that writes a part. No other owner may be in that part or in the
  /// whole.
  ///
  /// A conflict is reported before `body` runs. `synched` claims that a real lock is held.
  @_transparent
  public func write<Key: Hashable & Sendable, R: ~Copyable, Failure: Error>(
    _ part: @autoclosure () -> Key, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    try block(writes: true, part: part(), synched(), file, function, line, body)
    #else
    try body()
    #endif
  }

  /// Runs `body` as a section that reads a part, held across its suspensions.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public func read<Key: Hashable & Sendable, R, Failure: Error>(
    _ part: @autoclosure () -> Key, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let part = part()
    let open = words.beginBlock(writes: false, part: part, synched(), file, function, line)
    defer { if !open.end() { reportEndedBefore(part, file, function, line) } }
    #endif
    return try await body()
  }

  /// Runs `body` as a section that writes a part, held across its suspensions.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public func write<Key: Hashable & Sendable, R, Failure: Error>(
    _ part: @autoclosure () -> Key, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let part = part()
    let open = words.beginBlock(writes: true, part: part, synched(), file, function, line)
    defer { if !open.end() { reportEndedBefore(part, file, function, line) } }
    #endif
    return try await body()
  }

  /// Begins a section on a part. A conflict with another owner is reported before this function
  /// returns.
  ///
  /// End the section in the same mode on an equal part, from the same task, or from the same thread
  /// outside of a task. `synched` claims that a real lock is held.
  @_transparent
  public func begin<Key: Hashable & Sendable>(
    _ mode: @autoclosure () -> Mode, part: @autoclosure () -> Key,
    synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    words.begin(writes: mode().writes, part: part(), synched(), file, function, line)
    #endif
  }

  /// Ends the section that this owner began last in this mode on this part.
  ///
  /// Reports a misuse if there is none.
  @_transparent
  public func end<Key: Hashable & Sendable>(
    _ mode: @autoclosure () -> Mode, part: @autoclosure () -> Key, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    words.end(writes: mode().writes, part: part(), file, function, line)
    #endif
  }
}

#if INTERLOCK_TRACKING

extension Section {
  /// Inlined in any build, like a block on the whole.
  @usableFromInline @_transparent
  func block<Key: Hashable & Sendable, R: ~Copyable, Failure: Error>(
    writes: Bool, part: Key, _ synched: Bool, _ file: StaticString, _ function: StaticString,
    _ line: UInt, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let open = words.beginBlock(writes: writes, part: part, synched, file, function, line)
    do throws(Failure) {
      let result = try body()
      if !open.end() { reportEndedBefore(part, file, function, line) }
      return result
    } catch {
      if !open.end() { reportEndedBefore(part, file, function, line) }
      throw error
    }
  }

  @usableFromInline
  func reportEndedBefore<Key: Hashable & Sendable>(
    _ part: Key, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    MisuseDetection.endedBefore(resource, part: Part.of(part), at: Site(file, function, line))
  }
}

#endif
