// A section as a block. The asynchronous forms belong to the task, whichever thread it resumes on.

#if INTERLOCK_TRACKING

extension Section {
  /// Runs `body` as a section that reads: others may read, none may write.
  ///
  /// A conflict is reported before `body` runs. With `synched`, claims that a real lock is held.
  @inlinable
  public func read<R: ~Copyable, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let open = beginBlock(Entry(file, function, line, writes: false, synched: synched))
    defer { if !endBlock(open) { reportEndedBefore(file, function, line) } }
    return try body()
  }

  /// Runs `body` as a section that writes: nobody else may be in.
  ///
  /// A conflict is reported before `body` runs. With `synched`, claims that a real lock is held.
  @inlinable
  public func write<R: ~Copyable, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let open = beginBlock(Entry(file, function, line, writes: true, synched: synched))
    defer { if !endBlock(open) { reportEndedBefore(file, function, line) } }
    return try body()
  }

  /// Runs `body`, which gives nothing and does not throw, as a section that reads.
  ///
  /// As the generic form, which costs more where nothing is optimised: a twentieth of a section.
  @inlinable
  public func read(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () -> Void
  ) {
    let open = beginBlock(Entry(file, function, line, writes: false, synched: synched))
    body()
    if !endBlock(open) { reportEndedBefore(file, function, line) }
  }

  /// Runs `body`, which gives nothing and does not throw, as a section that writes.
  ///
  /// As the generic form, which costs more where nothing is optimised: a twentieth of a section.
  @inlinable
  public func write(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () -> Void
  ) {
    let open = beginBlock(Entry(file, function, line, writes: true, synched: synched))
    body()
    if !endBlock(open) { reportEndedBefore(file, function, line) }
  }

  /// Runs `body` as a section that reads, held across its suspensions.
  public func read<R, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let site = Site(file, function, line)
    let open = Registry.begin(resource, .noWrite, synched: synched, at: site)
    defer { if let open { Registry.end(open, on: resource, at: site) } }
    return try await body()
  }

  /// Runs `body` as a section that writes, held across its suspensions.
  public func write<R, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let site = Site(file, function, line)
    let open = Registry.begin(resource, .noReadWrite, synched: synched, at: site)
    defer { if let open { Registry.end(open, on: resource, at: site) } }
    return try await body()
  }
}

// Where the two blocks that do not suspend are inlined, what they do first and last is called: a stack begins with who
// called this, be it the block's function or the one that the block stands in. What they are called with is little, and
// known when the block's function is compiled: a call costs as much as what it hands over.
extension Section {
  /// A section that a block has begun; `slot` is 0 where tracking is switched off.
  @usableFromInline
  struct OpenBlock {
    let slot: UInt
    let word: UInt

    @inline(__always)
    init(_ open: Registry.OpenSection?) {
      slot = UInt(bitPattern: open?.slot)
      word = open?.word.bits ?? 0
    }
  }

  @usableFromInline @inline(__always)
  func beginBlock(_ entry: Entry) -> OpenBlock { OpenBlock(Registry.begin(resource, entry)) }

  /// Ends what a block has begun; returns `false` where another end was first.
  @usableFromInline @inline(__always)
  func endBlock(_ block: OpenBlock) -> Bool {
    let word = SlotWord(bits: block.word)
    guard let slot = Bucket.Slot(bitPattern: block.slot), let record = word.record else {
      return true
    }
    return Registry.end(
      Registry.OpenSection(record: record, slot: slot, word: word, key: resource.key))
  }

  @usableFromInline @inline(never)
  func reportEndedBefore(_ file: StaticString, _ function: StaticString, _ line: UInt) {
    MisuseDetection.endedBefore(resource, at: Site(file, function, line))
  }
}

#else

extension Section {
  /// Runs `body`: tracking is not compiled in.
  @_transparent
  public func read<R: ~Copyable, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try body()
  }

  /// Runs `body`: tracking is not compiled in.
  @_transparent
  public func write<R: ~Copyable, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try body()
  }

  /// Runs `body`: tracking is not compiled in.
  @inlinable
  public func read<R, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    try await body()
  }

  /// Runs `body`: tracking is not compiled in.
  @inlinable
  public func write<R, Failure: Error>(
    synched: @autoclosure () -> Bool = false, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    try await body()
  }
}

#endif
