// Sections as blocks. An asynchronous section belongs to the task, on whichever thread the task
// resumes.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

extension Section {
  /// Runs `body` as a section that reads. Others may read, but no other owner may write.
  ///
  /// A conflict is reported before `body` runs. `synched` claims that a real lock is held.
  @_transparent
  public func read<R: ~Copyable, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    try block(writes: false, synched(), file, function, line, body)
    #else
    try body()
    #endif
  }

  /// Runs `body` as a section that writes. No other owner may be in a section.
  ///
  /// A conflict is reported before `body` runs. `synched` claims that a real lock is held.
  @_transparent
  public func write<R: ~Copyable, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    try block(writes: true, synched(), file, function, line, body)
    #else
    try body()
    #endif
  }

  /// Runs `body` as a section that reads, held across its suspensions.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public func read<R, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let open = words.beginBlock(writes: false, synched(), file, function, line)
    defer { if !open.end() { reportEndedBefore(file, function, line) } }
    #endif
    return try await body()
  }

  /// Runs `body` as a section that writes, held across its suspensions.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public func write<R, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let open = words.beginBlock(writes: true, synched(), file, function, line)
    defer { if !open.end() { reportEndedBefore(file, function, line) } }
    #endif
    return try await body()
  }
}

#if INTERLOCK_TRACKING

// The two synchronous blocks are inlined in any build, so that their closures are called directly.
// Begin and end are calls: a stack then begins with the function that contains the call, inlined or
// not. They take few arguments, constants in an optimised build, because passing arguments costs as
// much as the call.
extension Section {
  @usableFromInline @_transparent
  func block<R: ~Copyable, Failure: Error>(
    writes: Bool, _ synched: Bool, _ file: StaticString, _ function: StaticString, _ line: UInt,
    _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if DEBUG
    // Make a single call: a debug build would not inline the creation of an `Entry`.
    let open = words.beginBlock(writes: writes, synched, file, function, line)
    #else
    let open = words.beginBlock(Entry(file, function, line, writes: writes, synched: synched))
    #endif
    do throws(Failure) {
      let result = try body()
      if !open.end() { reportEndedBefore(file, function, line) }
      return result
    } catch {
      if !open.end() { reportEndedBefore(file, function, line) }
      throw error
    }
  }

  @usableFromInline
  func reportEndedBefore(_ file: StaticString, _ function: StaticString, _ line: UInt) {
    MisuseDetection.endedBefore(resource, at: Site(file, function, line))
  }
}

#endif
