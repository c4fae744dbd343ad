import CInterlockAnalysis
import CInterlockEvents
import Interlock
import ProcessInspection

// Scopes, and the locks that their code has left locked.

extension LiveTasks {
  /// A lock that a thread holds.
  package struct HeldLock: Sendable, Hashable {
    fileprivate var object: UInt
    fileprivate var kind: UInt32
    fileprivate var thread: UInt32
    fileprivate var place: UInt
    fileprivate var outer: UInt

    fileprivate init(_ lock: interlock_kept_lock) {
      object = lock.object
      kind = lock.kind
      thread = lock.thread
      place = lock.place
      outer = lock.outer
    }

    /// True if the thread still holds the lock.
    fileprivate var isHeld: Bool { interlock_waits_is_kept(object, kind, thread) }
  }

  private static let mostLocks = 256

  /// Marks the calling task as running the code of a scope, until `leave`.
  package static func enter(_ scope: UInt64) { interlock_lives_enter(scope) }

  /// Ends `enter`.
  package static func leave(_ scope: UInt64) { interlock_lives_leave(scope) }

  /// Forgets the objects of a scope that has ended.
  package static func forget(_ scope: UInt64) { interlock_lives_forget(scope) }

  /// The locks that the calling thread holds and has acquired in its current block, or outside of
  /// blocks.
  package static var ownLocks: [HeldLock] {
    locks { interlock_waits_own_locks($0, $1) }
  }

  /// The locks that blocks, tasks and threads of a scope have left locked, with symbols, in the
  /// order in which they were left.
  ///
  /// - Parameters:
  ///   - scope: The scope; `nil` for all code.
  ///   - own: Further locks that the scope's code has left locked.
  /// - Returns: The locks that are still held.
  package static func leftLocks(in scope: UInt64?, and own: [HeldLock] = []) -> [LiveTask] {
    let left = locks { interlock_waits_kept_locks(scope ?? 0, scope == nil, $0, $1) }
    let all = own.filter(\.isHeld) + left
    guard !all.isEmpty else { return [] }
    var seen: Set<[UInt]> = []
    let found = all.filter { seen.insert([$0.object, UInt($0.thread)]).inserted }.map { lock in
      LiveTask(
        number: UInt64(lock.object), kind: .lock,
        maker: SnapshotTaker.frames(lock.place, lock.outer),
        wait: .init(.held, at: made(lock)))
    }
    return withSymbols(found).map { lock in
      var lock = lock
      // Remove frames of functions that a macro such as `@Test` generates.
      lock.maker.removeAll { $0.isOfMacro }
      lock.wait.place.removeAll { $0.isOfMacro }
      return lock
    }
  }

  private static func made(_ lock: HeldLock) -> [StackFrame] {
    guard let kind = SnapshotTaker.kind(lock.kind) else { return [] }
    var signal = WaitSnapshot.Signal(id: lock.object, kind: kind)
    return SnapshotTaker.nameLock(&signal) ? signal.created : []
  }

  private static func locks(
    _ read: (UnsafeMutablePointer<interlock_kept_lock>?, Int) -> Int
  ) -> [HeldLock] {
    // Return early: usually there is no such lock.
    let count = min(read(nil, 0), mostLocks)
    guard count > 0 else { return [] }
    let locks = [interlock_kept_lock](unsafeUninitializedCapacity: count) {
      $1 = min(read($0.baseAddress, count), count)
    }
    return locks.map { HeldLock($0) }
  }
}

extension StackFrame {
  /// True if the frame is in a macro expansion, which is not a file of the user.
  fileprivate var isOfMacro: Bool { file?.contains("@__swiftmacro_") == true }
}
