// Separate begin and end, for code in which the section is no block.

#if !INTERLOCK_TRACKING

extension Section {
  /// Does nothing: tracking is not compiled in.
  @_transparent
  public func begin(
    _ mode: @autoclosure () -> Mode, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
  ) {}

  /// Does nothing: tracking is not compiled in.
  @_transparent
  public func end(
    _ mode: @autoclosure () -> Mode, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {}
}

#endif
