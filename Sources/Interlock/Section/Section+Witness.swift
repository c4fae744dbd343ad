// A reading section may have a witness: a value that shows whether unmarked code wrote meanwhile.

internal import SectionTable

extension Section {
  /// Runs `body` as a section that reads and during which a value must not change.
  ///
  /// `witness` returns a cheap snapshot of the data that is read: a version, a count, a file's
  /// state (`FileState`). It is called on the calling thread when the section begins and when it
  /// ends, and must neither change anything nor wait. If the two snapshots differ although no
  /// marked writer overlapped the section, unmarked code wrote: C code, a framework, another
  /// process. The change is reported when the section ends, with both values, and counts like any
  /// other conflict: it was observed. A marked writer that overlapped the section is reported as
  /// that conflict alone. A writer that restores the old value in between is not seen. Writing
  /// sections have no witness: only the section itself knows when its first change happens.
  ///
  /// Taking the snapshot must be safe during an unlocked write: an aligned integer, an atomic or a
  /// system call is safe, a dictionary is not. The cost is two snapshots and a comparison.
  /// Near-miss delays may hold the section open between the two. Source: KCSAN's value check, "race
  /// at unknown origin" (Linux, Documentation/dev-tools/kcsan.rst).
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public func read<Witness: Equatable, R: ~Copyable, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let site = Site(file, function, line)
    let begun = Registry.beginExtended(
      resource, writes: false, part: nil, synched: synched(), at: site)
    guard let begun else { return try body() }
    let before = witness()
    // Delay after the snapshot, so that a change during the delay is seen.
    Registry.followUp(begun.open, hasMet: begun.hasMet)
    defer { WitnessDetection.end(begun.open, before, witness(), on: resource, at: site) }
    #endif
    return try body()
  }

  /// Runs `body` as a section that reads and during which a value must not change. The section is
  /// held across suspensions.
  ///
  /// See the synchronous form for everything else.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public func read<Witness: Equatable, R, Failure: Error>(
    witness: @autoclosure () -> Witness, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    #if INTERLOCK_TRACKING
    let site = Site(file, function, line)
    let begun = Registry.beginExtended(
      resource, writes: false, part: nil, synched: synched(), at: site)
    guard let begun else { return try await body() }
    let before = witness()
    // Delay after the snapshot, so that a change during the delay is seen.
    Registry.followUp(begun.open, hasMet: begun.hasMet)
    defer { WitnessDetection.end(begun.open, before, witness(), on: resource, at: site) }
    #endif
    return try await body()
  }
}
