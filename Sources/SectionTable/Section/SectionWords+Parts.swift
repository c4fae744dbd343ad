// The functions called by the marks on a part.
extension SectionWords {
  /// Begins a section on a part.
  public func begin<Key: Hashable & Sendable>(
    writes: Bool, part: Key, _ synched: Bool, _ file: StaticString, _ function: StaticString,
    _ line: UInt
  ) {
    _ = Registry.begin(
      resource, writes: writes, part: Part.of(part), synched: synched,
      at: Site(file, function, line))
  }

  /// Ends the section that this owner began last in this mode on a part. Reports a misuse if there
  /// is none.
  public func end<Key: Hashable & Sendable>(
    writes: Bool, part: Key, _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    if Registry.endLast(resource, writes: writes, part: part) { return }
    Registry.end(
      resource, writes: writes, part: Part.of(part), at: Site(file, function, line))
  }

  /// Begins the section of a block on a part.
  public func beginBlock<Key: Hashable & Sendable>(
    writes: Bool, part: Key, _ synched: Bool, _ file: StaticString, _ function: StaticString,
    _ line: UInt
  ) -> OpenBlock {
    OpenBlock(
      Registry.begin(
        resource, writes: writes, part: Part.of(part), synched: synched,
        at: Site(file, function, line)))
  }
}
