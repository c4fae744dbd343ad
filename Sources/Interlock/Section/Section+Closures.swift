// A section as a block. The asynchronous forms belong to the task, whichever thread it resumes on.

#if INTERLOCK_TRACKING

extension Section {
  /// Runs `body` as a section that reads: others may read, none may write.
  ///
  /// A conflict is reported before `body` runs. With `synched`, claims that a real lock is held.
  public func read<R: ~Copyable, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let site = Site(file, function, line)
    let open = Registry.begin(resource, .noWrite, synched: synched, at: site)
    defer { if let open { Registry.end(open, on: resource, at: site) } }
    return try body()
  }

  /// Runs `body` as a section that writes: nobody else may be in.
  ///
  /// A conflict is reported before `body` runs. With `synched`, claims that a real lock is held.
  public func write<R: ~Copyable, Failure: Error>(
    synched: Bool = false, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt = #line, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let site = Site(file, function, line)
    let open = Registry.begin(resource, .noReadWrite, synched: synched, at: site)
    defer { if let open { Registry.end(open, on: resource, at: site) } }
    return try body()
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
