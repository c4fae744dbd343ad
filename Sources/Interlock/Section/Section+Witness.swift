// A section that reads may have a witness: a value that shows whether somebody wrote who is not
// marked.

#if INTERLOCK_TRACKING

extension Section {
  /// Runs `body` as a section that reads, through which a value must not change.
  ///
  /// `witness` is a cheap snapshot of what is read: a version, a count, a file's state
  /// (`FileState`). It is taken on the calling thread as the section begins and as it ends, and
  /// must not itself change or wait for anything. Where the two differ although no marked writer
  /// met the section, somebody wrote who is not marked: C code, a framework, another process. That
  /// is reported as the section ends, with both values, and counts as any other conflict does: it
  /// was observed. A marked writer that met the section is reported as that conflict alone. A
  /// writer that puts the old value back in between is not seen. Writing sections have no witness:
  /// when their own first change comes is known to nobody but them.
  ///
  /// The snapshot must be safe to take while somebody writes unlocked: an aligned integer, an
  /// atomic, a system call; not a dictionary. Costs the two snapshots and one comparison. With
  /// near-miss delays, the section may be held open between the two. Source: KCSAN's check of
  /// values, "race at unknown origin" (Linux, Documentation/dev-tools/kcsan.rst).
  public func read<Witness: Equatable, R: ~Copyable, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let site = Site(file, function, line)
    let begun = Registry.beginExtended(
      resource, .noWrite, part: nil, synched: synched, at: site)
    guard let begun else { return try body() }
    let before = witness()
    // Behind the snapshot: what comes in a delay is seen.
    Registry.followUp(begun.open, hasMet: begun.hasMet)
    defer { WitnessDetection.end(begun.open, before, witness(), on: resource, at: site) }
    return try body()
  }

  /// Runs `body` as a section that reads, held across its suspensions, through which a value must
  /// not change.
  ///
  /// Everything else is as in the form that does not suspend.
  public func read<Witness: Equatable, R, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let site = Site(file, function, line)
    let begun = Registry.beginExtended(
      resource, .noWrite, part: nil, synched: synched, at: site)
    guard let begun else { return try await body() }
    let before = witness()
    // Behind the snapshot: what comes in a delay is seen.
    Registry.followUp(begun.open, hasMet: begun.hasMet)
    defer { WitnessDetection.end(begun.open, before, witness(), on: resource, at: site) }
    return try await body()
  }
}

#else

extension Section {
  /// Runs `body`: tracking is not compiled in.
  @_transparent
  public func read<Witness: Equatable, R: ~Copyable, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try body()
  }

  /// Runs `body`: tracking is not compiled in.
  @inlinable
  public func read<Witness: Equatable, R, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    try await body()
  }
}

#endif
