import Dispatch

/// Starts something that ends in a callback, and blocks the calling thread until it comes.
///
/// This is the pattern that the article on PINCache warns of: the callback needs a thread, and the
/// one that is here cannot be it.
package func waitForCallback<R: Sendable>(_ start: (@escaping @Sendable (R) -> Void) -> Void) -> R {
  let answer = Answer<R>()
  start { value in
    answer.value = value
    answer.semaphore.signal()
  }
  answer.semaphore.wait()
  guard let value = answer.value else {
    preconditionFailure("the semaphore was signalled before the answer was stored")
  }
  return value
}

/// What a callback hands to the thread that waits for it.
///
/// `@unchecked Sendable`: written once before the semaphore is signalled, read once after it was
/// waited on.
private final class Answer<R>: @unchecked Sendable {
  let semaphore = DispatchSemaphore(value: 0)
  var value: R?
}
