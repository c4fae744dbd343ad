import Dispatch

/// Starts an asynchronous call, and blocks the calling thread until its callback.
///
/// The article on PINCache warns of this pattern: the callback needs a thread other than the
/// blocked one.
public func waitForCallback<R: Sendable>(_ start: (@escaping @Sendable (R) -> Void) -> Void) -> R {
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

/// Passes a value from a callback to the thread that waits for it.
///
/// `@unchecked Sendable`: written once before the semaphore's signal, read once after its wait.
private final class Answer<R>: @unchecked Sendable {
  let semaphore = DispatchSemaphore(value: 0)
  var value: R?
}
