#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

internal import SectionTable

extension Platform {
  /// Suspends the calling thread for this time.
  static func pause(microseconds: Int) {
    var time = timespec(
      tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
    nanosleep(&time, nil)
  }

  /// Runs two functions on a thread each, and returns when both have ended; `false` if the system
  /// cannot create two threads.
  ///
  /// If only the first thread could be started, calls `abandon`, which must make the first function
  /// return.
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

  /// Runs a function on a detached thread that handles no signals; `false` if the system refuses
  /// the thread.
  static func startDetached(
    stackBytes: Int, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return false }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, stackBytes) == 0,
      let thread = start(body, attributes)
    else { return false }
    pthread_detach(thread)
    return true
  }

  private static func start(
    _ body: @escaping @Sendable () -> Void, _ attributes: UnsafePointer<pthread_attr_t>? = nil
  ) -> pthread_t? {
    let start = Unmanaged.passRetained(ThreadStart(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    guard pthread_create(&thread, attributes, { runThread($0) }, start.toOpaque()) == 0 else {
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
