// Separate begin and end, for code in which the section is no block.

extension Section {
  /// Begins a section; a conflict with another owner is reported before this returns.
  ///
  /// End it in the same mode, from the same task, or from the same thread where no task runs.
  /// `synched` claims that a real lock is held.
  @_transparent
  public func begin(
    _ mode: @autoclosure () -> Mode, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    beginMark(mode(), synched(), file, function, line)
    #endif
  }

  /// Ends the section that this owner began last in this mode; reports a misuse where there is
  /// none.
  @_transparent
  public func end(
    _ mode: @autoclosure () -> Mode, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {
    #if INTERLOCK_TRACKING
    endMark(mode(), file, function, line)
    #endif
  }
}
