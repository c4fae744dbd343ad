import CInterlockEvents
import Foundation
import Synchronization

/// The scopes of threads and blocks that inherit no task-local value: each belongs to the scope of
/// the task, thread or block that made it, and to the test that Swift Testing knows there.
///
/// A detached task belongs to the scope up to its first suspension. Where calls are not seen, a
/// thread or block has no scope.
enum InheritedScopes {
  private static let kinds =
    INTERLOCK_EVENT_FORK.rawValue | INTERLOCK_EVENT_START.rawValue
    | INTERLOCK_EVENT_ENQUEUE.rawValue
    | INTERLOCK_EVENT_BEGIN.rawValue | INTERLOCK_EVENT_END.rawValue
    | INTERLOCK_EVENT_CANCEL.rawValue

  /// What a thread or block gets from the code that makes it.
  private struct Inheritance {
    var scope: UInt
    /// `nil` for a task, which has its own, and outside the tests of Swift Testing.
    var locals: TestLocals?
  }

  /// A thread or block that runs: what its end restores.
  private final class Running {
    let outer: Running?
    let outerScope: UInt
    let boundCount: Int

    init(in outer: Running?, scope: UInt, boundCount: Int) {
      self.outer = outer
      outerScope = scope
      self.boundCount = boundCount
    }
  }

  /// Those of threads and blocks that have not begun, by their addresses.
  private static let made = Locked<[UInt: Inheritance]>([:])
  /// How many there are: most blocks of a process belong to no scope, and need no lock.
  private static let count = Atomic(0)
  /// The scope that the calling thread or its block has inherited.
  private static let key = threadKey(nil)
  /// The innermost `Running` of the calling thread, retained; none if none has inherited.
  private static let runningKey = threadKey { pointer in
    // The end of a thread.
    var running: Running? = pointer.map {
      Unmanaged<Running>.fromOpaque($0).takeRetainedValue()
    }
    while let ended = running {
      TestLocals.unbind(ended.boundCount)
      running = ended.outer
    }
  }

  private static func threadKey(
    _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) -> pthread_key_t {
    var key = pthread_key_t()
    pthread_key_create(&key, destroy)
    return key
  }

  /// Follows threads and blocks for the rest of the process's life.
  static func start() {
    _ = key
    _ = runningKey
    _ = made
    _ = interlock_events_add(
      { event, _ in
        if let event { InheritedScopes.note(event.pointee) }
      }, nil, kinds)
  }

  /// The scope of the calling task, block or thread; 0 for none.
  static var ofCaller: UInt {
    let bound = TestScope.current
    return bound != 0 ? bound : ofThread
  }

  private static var ofThread: UInt { UInt(bitPattern: pthread_getspecific(key)) }

  private static func note(_ event: interlock_event) {
    let item = UInt(bitPattern: event.item)
    switch event.kind {
    case INTERLOCK_EVENT_FORK:
      // A worker of a pool runs the blocks of every test.
      guard Int(event.flags) & INTERLOCK_FLAG_INTERNAL == 0 else { return }
      add(UInt(bitPattern: event.object), isTask: false)
    case INTERLOCK_EVENT_START: begin(UInt(bitPattern: event.object))
    case INTERLOCK_EVENT_ENQUEUE:
      // A later job of a task is enqueued by the code that resumes it.
      let flags = Int(event.flags)
      let isTask = flags & INTERLOCK_FLAG_JOB != 0
      if !isTask || flags & INTERLOCK_FLAG_FIRST_JOB != 0 { add(item, isTask: isTask) }
    // A synchronous block, without an item, belongs to its thread.
    case INTERLOCK_EVENT_BEGIN: if item != 0 { begin(item) }
    case INTERLOCK_EVENT_END: if event.value != 0 { end() }
    case INTERLOCK_EVENT_CANCEL: _ = take(item)
    default: break
    }
  }

  private static func add(_ address: UInt, isTask: Bool) {
    let scope = ofCaller
    guard scope != 0, address != 0 else { return }
    let inheritance = Inheritance(scope: scope, locals: isTask ? nil : TestLocals())
    let replaced = made.withLock { $0.updateValue(inheritance, forKey: address) }
    if replaced == nil { count.add(1, ordering: .relaxed) }
  }

  private static func begin(_ address: UInt) {
    let found = take(address)
    let outer = pthread_getspecific(runningKey)
    // Noted within another too: their ends come in the reverse order.
    guard found != nil || outer != nil else { return }
    let running = Running(
      in: outer.map { Unmanaged<Running>.fromOpaque($0).takeRetainedValue() },
      scope: ofThread, boundCount: found?.locals?.bind() ?? 0)
    pthread_setspecific(runningKey, Unmanaged.passRetained(running).toOpaque())
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: found?.scope ?? 0))
  }

  private static func end() {
    guard let pointer = pthread_getspecific(runningKey) else { return }
    let ended = Unmanaged<Running>.fromOpaque(pointer).takeRetainedValue()
    let outer = ended.outer.map { Unmanaged.passRetained($0).toOpaque() }
    pthread_setspecific(runningKey, outer)
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: ended.outerScope))
    TestLocals.unbind(ended.boundCount)
  }

  private static func take(_ address: UInt) -> Inheritance? {
    // Relaxed: the queue, or the system, has ordered the addition before the beginning.
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    // Not within the lock: the last reference to a value may run a user's code.
    let found = made.withLock { $0.removeValue(forKey: address) }
    if found != nil { count.subtract(1, ordering: .relaxed) }
    return found
  }
}
