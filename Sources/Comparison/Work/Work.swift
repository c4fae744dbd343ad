/// Shared state that a strategy guards; each call runs on the caller's thread.
@usableFromInline
package protocol SynchronousWork: AnyObject, Sendable {
  /// Makes some calls, one after the other. Many threads call this function concurrently: the
  /// comparison measures that.
  ///
  /// - Parameters:
  ///   - calls: The caller's calls.
  ///   - range: Which of the calls to make.
  /// - Returns: Their results.
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally

  /// How many of `writes` were lost; called once, after all calls have ended.
  func lost(of writes: Int) -> Int
}

/// Shared state whose calls are awaited, as an actor's.
@usableFromInline
package protocol AsynchronousWork: AnyObject, Sendable {
  /// Makes some calls, one after the other, and awaits each.
  func perform(_ calls: CallRing, _ range: Range<Int>) async -> Tally

  /// How many of `writes` were lost; called once, after all calls have ended.
  func lost(of writes: Int) async -> Int
}

/// The measured work.
@usableFromInline
package enum Work: Sendable {
  /// Calls that run on the caller's thread.
  case synchronous(any SynchronousWork)
  /// Calls that are awaited.
  case asynchronous(any AsynchronousWork)
}
