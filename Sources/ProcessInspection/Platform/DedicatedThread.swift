#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread outside all pools, which its creator joins.
package struct DedicatedThread {
  private let thread: pthread_t

  /// The stack size of a secondary thread on Apple's systems. A thousand stacks take 512 MiB of
  /// address space, but only the memory that their threads touch.
  private static let stackBytes = 512 * 1024

  /// Starts a thread that runs `body`, or ends the process with the reason if the system refuses
  /// it: with a caller missing, the workload would be a different one.
  package init(_ body: @escaping @Sendable () -> Void) {
    let (thread, code) = Self.start(body, stackBytes: Self.stackBytes)
    Self.check(code, "start a thread")
    self.thread = thread
  }

  /// Starts a thread that is never joined. Returns false if the system refuses it, which
  /// Foundation's `Thread` does not report.
  package static func startDetached(
    stackBytes: Int = 8 << 20, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let (thread, code) = start(body, stackBytes: stackBytes)
    guard code == 0 else { return false }
    check(pthread_detach(thread), "let a thread go")
    return true
  }

  private static func start(
    _ body: @escaping @Sendable () -> Void, stackBytes: Int
  ) -> (thread: pthread_t, code: Int32) {
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    // Allocated as raw memory: which module declares `pthread_attr_t()` depends on what else the
    // package imports.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    check(pthread_attr_init(attributes), "prepare a thread")
    defer { pthread_attr_destroy(attributes) }
    check(pthread_attr_setstacksize(attributes, stackBytes), "prepare a thread")
    #if canImport(Darwin)
    var started: pthread_t?
    let code = pthread_create(&started, attributes, { runThread($0) }, start)
    #else
    var started: pthread_t = 0
    let code = pthread_create(&started, attributes, { runThread($0) }, start)
    #endif
    if code != 0 { Unmanaged<Start>.fromOpaque(start).release() }
    #if canImport(Darwin)
    guard let started = started ?? (code == 0 ? nil : pthread_self()) else {
      fatalError("interlock: a started thread has no identity")
    }
    #endif
    return (started, code)
  }

  /// Starts a thread that is never joined: `body` may never return.
  package static func detached(_ body: @escaping @Sendable () -> Void) {
    check(pthread_detach(DedicatedThread(body).thread), "let a thread go")
  }

  /// Waits until the thread has ended. Call it once.
  package func join() {
    Self.check(pthread_join(thread, nil), "wait for a thread")
  }

  /// Ends the process with the reason if the system refuses a call.
  private static func check(_ code: Int32, _ what: String) {
    guard code == 0 else {
      fatalError("interlock: cannot \(what): \(String(cString: strerror(code)))")
    }
  }
}

/// The body that a new thread runs.
private final class Start: Sendable {
  let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start else { return nil }
  Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
  return nil
}
