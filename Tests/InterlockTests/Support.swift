import CInterlock
import Foundation
import Interlock
import InterlockTestsC
import Testing

/// The tracker's findings in the test process. Settings are the process's: they are set once, so that tests
/// can run side by side, and each test looks at resources whose names are its own.
enum Findings {
  private static let installed: Void = {
    SectionTracking.onConflict = .handler { _ in }
    SectionTracking.onMisuse = .record
  }()

  static func conflicts(on resource: String) -> [Conflict] {
    SectionTracking.conflicts.filter { $0.resource == resource }
  }

  static func misuses(on resource: String) -> [Misuse] {
    SectionTracking.misuses.filter { $0.resource == resource }
  }

  /// To be called before the first section of a test.
  static func collect() { installed }
}

/// Runs a body on a thread of its own and waits for the thread's end, so for what happens at its exit too.
func onThread(named name: String? = nil, _ body: @escaping @Sendable () -> Void) {
  JoinableThread(named: name, body).join()
}

/// A thread that can be waited for to its very end.
final class JoinableThread: @unchecked Sendable {
  // Unchecked: `handle` is written once, before anybody else has the object.
  private var handle = pthread_t()

  init(named name: String? = nil, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    pthread_create(
      &handle, nil,
      { argument in
        let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
        if let name = start.name { c_name_thread(name) }
        start.body()
        return nil
      }, start.toOpaque())
  }

  func join() { pthread_join(handle, nil) }

  private final class Start: Sendable {
    let name: String?
    let body: @Sendable () -> Void
    init(name: String?, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

/// A door that opens once.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// Where so many threads meet before any goes on.
final class Barrier: @unchecked Sendable {
  // Unchecked: everything is under the condition.
  private let condition = NSCondition()
  private let parties: Int
  private var waiting = 0
  private var round = 0

  init(parties: Int) { self.parties = parties }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    let mine = round
    waiting += 1
    if waiting == parties {
      waiting = 0
      round += 1
      condition.broadcast()
    }
    while round == mine { condition.wait() }
  }
}

/// The calling thread, as something to compare.
func threadNumber() -> UInt64 { interlock_thread_number() }
