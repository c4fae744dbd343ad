#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension Platform {
  /// Runs two functions on a thread each, and returns when both have ended; `false` if the system
  /// gives no two threads.
  ///
  /// If only the first could be started, calls `abandon`, which must make it return.
  static func runOnTwoThreads(
    _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void,
    abandon: () -> Void
  ) -> Bool {
    guard let one = start(first) else { return false }
    guard let other = start(second) else {
      abandon()
      pthread_join(one, nil)
      return false
    }
    pthread_join(one, nil)
    pthread_join(other, nil)
    return true
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let start = Unmanaged.passRetained(ThreadStart(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    guard pthread_create(&thread, nil, { runThread($0) }, start.toOpaque()) == 0 else {
      start.release()
      return nil
    }
    return thread
  }
}

/// The start function of a thread.
private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start else { return nil }
  Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
  return nil
}
