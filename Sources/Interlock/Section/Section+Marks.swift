// Separate begin and end, for sections that are not blocks.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

extension Section {
  /// Begins a section. A conflict with another owner is reported before this function returns.
  ///
  /// End the section in the same mode, from the same task, or from the same thread outside of a
  /// task. `synched` claims that a real lock is held.
  @_transparent
  public func begin(
    _ mode: @autoclosure () -> Mode, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    #if DEBUG
    // Make a single call: a debug build would not inline the creation of an `Entry`.
    words.begin(writes: mode().writes, synched(), file, function, line)
    #else
    words.begin(Entry(file, function, line, writes: mode().writes, synched: synched()))
    #endif
    #endif
  }

  /// Ends the section that this owner began last in this mode. Reports a misuse if there is none.
  @_transparent
  public func end(
    _ mode: @autoclosure () -> Mode, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    let mode = mode()
    if !SectionWords.end(words.key, writes: mode.writes) {
      reportWrongEnd(mode, file, function, line)
    }
    #endif
  }
}

#if INTERLOCK_TRACKING

extension Section {
  @usableFromInline
  func reportWrongEnd(
    _ mode: Mode, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    MisuseDetection.endWithoutBegin(resource, writes: mode.writes, at: Site(file, function, line))
  }
}

#endif
