import Dispatch

/// Answers requests by blocking a thread of the pool for a block on the same pool.
public final class Server: Sendable {
  /// Makes a server.
  public init() {}

  /// Answers a request with its double.
  public func answer(_ request: Int) -> Int {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { done.signal() }
    done.wait()  // red: every thread of the pool may wait here
    return request * 2  // second: traps on overflow
  }
}
