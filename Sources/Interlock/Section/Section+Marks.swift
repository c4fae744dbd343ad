// Begin and end apart, for code in which the section is no block.

#if INTERLOCK_TRACKING

extension Section {
  /// Begins a section; a conflict with another owner is reported before this returns.
  ///
  /// End it in the same mode, from the same task, or from the same thread where no task runs.
  /// With `synched`, claims that a real lock is held.
  public func begin(
    _ mode: Mode, synched: Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {
    _ = Registry.begin(resource, mode, synched: synched, at: Site(file, function, line))
  }

  /// Ends the section that this owner began last in this mode; reports a misuse where there is none.
  public func end(
    _ mode: Mode, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line
  ) {
    Registry.end(resource, mode, at: Site(file, function, line))
  }
}

#else

extension Section {
  /// Nothing: tracking is not compiled in.
  @_transparent
  public func begin(
    _ mode: @autoclosure () -> Mode, synched: @autoclosure () -> Bool = false,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
  ) {}

  /// Nothing: tracking is not compiled in.
  @_transparent
  public func end(
    _ mode: @autoclosure () -> Mode, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line
  ) {}
}

#endif
