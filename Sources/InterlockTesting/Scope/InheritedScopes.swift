import CInterlockEvents
import Foundation
import Synchronization

/// Test scopes of threads and blocks, which inherit no task-local values. A thread or block belongs
/// to the scope, and to the Swift Testing test, of the task, thread or block that created it.
///
/// A detached task belongs to its creator's scope up to its first suspension. If the process's
/// calls are not followed, threads and blocks have no scope.
enum InheritedScopes {
  private static let kinds =
    INTERLOCK_EVENT_FORK.rawValue | INTERLOCK_EVENT_START.rawValue
    | INTERLOCK_EVENT_ENQUEUE.rawValue
    | INTERLOCK_EVENT_BEGIN.rawValue | INTERLOCK_EVENT_END.rawValue
    | INTERLOCK_EVENT_CANCEL.rawValue

  /// The values that a thread or block inherits from its creator.
  private struct Inheritance {
    var scope: UInt
    /// `nil` for a task, which has its own, and outside of Swift Testing.
    var locals: TestLocals?
  }

  /// A running thread or block, with the values to restore at its end.
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

  /// The inheritance of created threads and blocks that have not begun, by address.
  private static let made = Locked<[UInt: Inheritance]>([:])
  /// The number of entries in `made`. Most blocks belong to no scope: a count of 0 avoids the lock.
  private static let count = Atomic(0)
  /// The scope inherited by the calling thread, or by the block that it runs.
  private static let key = threadKey(nil)
  /// The innermost `Running` of the calling thread, retained; null if the thread inherited nothing.
  private static let runningKey = threadKey { pointer in
    // Runs when the thread ends.
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

  /// Follows threads and blocks until the process ends.
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
      // Skip worker threads of a pool: they run blocks of every test.
      guard Int(event.flags) & INTERLOCK_FLAG_INTERNAL == 0 else { return }
      add(UInt(bitPattern: event.object), isTask: false)
    case INTERLOCK_EVENT_START: begin(UInt(bitPattern: event.object))
    case INTERLOCK_EVENT_ENQUEUE:
      // Only a task's first job inherits: later jobs are enqueued by the code that resumes the
      // task.
      let flags = Int(event.flags)
      let isTask = flags & INTERLOCK_FLAG_JOB != 0
      if !isTask || flags & INTERLOCK_FLAG_FIRST_JOB != 0 { add(item, isTask: isTask) }
    // A synchronous block has no item, and belongs to its thread.
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
    // Track a block without inheritance too if it runs inside another: ends come in reverse order.
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
    // Relaxed: the queue or the system orders the creation before the beginning.
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    // Destroy the value outside of the lock: its last release may run user code.
    let found = made.withLock { $0.removeValue(forKey: address) }
    if found != nil { count.subtract(1, ordering: .relaxed) }
    return found
  }
}
