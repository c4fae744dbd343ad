/// What callers share and a strategy guards, where each call is made on the caller's own thread.
public protocol SynchronousWork: AnyObject, Sendable {
  /// Makes some calls, one after the other. Called from many threads at once: that is what is
  /// measured.
  ///
  /// - Parameters:
  ///   - calls: The caller's calls.
  ///   - range: Which of them.
  /// - Returns: What came of them.
  func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally

  /// How many of so many writes have left no trace; asked once, when nothing is under way.
  func lost(of writes: Int) -> Int
}

/// The same where each call is awaited: an actor.
public protocol AsynchronousWork: AnyObject, Sendable {
  /// Makes some calls, one after the other, and awaits each.
  func perform(_ calls: CallRing, _ range: Range<Int>) async -> Tally

  /// How many of so many writes have left no trace; asked once, when nothing is under way.
  func lost(of writes: Int) async -> Int
}

/// What is measured.
public enum Work: Sendable {
  /// Calls that are made where the caller is.
  case synchronous(any SynchronousWork)
  /// Calls that are awaited.
  case asynchronous(any AsynchronousWork)
}
