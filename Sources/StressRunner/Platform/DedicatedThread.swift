#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread that belongs to no pool, and that is waited for.
package struct DedicatedThread {
  private let thread: pthread_t

  /// The size of its stack: that of a secondary thread on Apple's systems. A thousand of them are
  /// 512 MiB of addresses, and as much memory as they touch.
  private static let stackBytes = 512 * 1024

  /// Starts a thread that runs `body`.
  package init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    // In raw memory: which module `pthread_attr_t()` belongs to depends on what else the package
    // imports.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    Self.check(pthread_attr_init(attributes), "prepare a thread")
    defer { pthread_attr_destroy(attributes) }
    Self.check(pthread_attr_setstacksize(attributes, Self.stackBytes), "prepare a thread")
    #if canImport(Darwin)
    var started: pthread_t?
    let code = pthread_create(&started, attributes, { runThread($0) }, start)
    #else
    var started: pthread_t = 0
    let code = pthread_create(&started, attributes, { runThread($0) }, start)
    #endif
    Self.check(code, "start a thread")
    #if canImport(Darwin)
    guard let started else { fatalError("interlock: a started thread has no identity") }
    #endif
    thread = started
  }

  /// Starts a thread that nobody waits for: what it runs may never come back.
  package static func detached(_ body: @escaping @Sendable () -> Void) {
    check(pthread_detach(DedicatedThread(body).thread), "let a thread go")
  }

  /// Waits until the thread has ended; called once.
  package func join() {
    Self.check(pthread_join(thread, nil), "wait for a thread")
  }

  /// Ends the process, with the reason, where the system will not give a thread: a workload without
  /// one of its callers is another workload.
  private static func check(_ code: Int32, _ what: String) {
    guard code == 0 else {
      fatalError("interlock: cannot \(what): \(String(cString: strerror(code)))")
    }
  }
}

/// What a thread needs to begin.
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
