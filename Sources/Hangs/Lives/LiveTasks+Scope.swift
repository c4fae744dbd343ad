import CInterlockAnalysis
import CInterlockEvents
import Interlock
import ProcessInspection

// Scopes, and the locks that their code has left.

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

    /// Whether the thread still holds it.
    fileprivate var isHeld: Bool { interlock_waits_is_kept(object, kind, thread) }
  }

  private static let mostLocks = 256

  /// The calling task runs the code of a scope until `leave`.
  package static func enter(_ scope: UInt64) { interlock_lives_enter(scope) }

  /// Ends `enter`.
  package static func leave(_ scope: UInt64) { interlock_lives_leave(scope) }

  /// Forgets the objects of a scope that has ended.
  package static func forget(_ scope: UInt64) { interlock_lives_forget(scope) }

  /// The locks that the calling thread has acquired in its current block, or outside of blocks, and
  /// holds.
  package static var ownLocks: [HeldLock] {
    locks { interlock_waits_own_locks($0, $1) }
  }

  /// The locks that blocks, tasks and threads of a scope have left locked, in the order in which
  /// they were left, with symbols.
  ///
  /// - Parameters:
  ///   - scope: The scope; `nil` for all code.
  ///   - own: More locks that its code has left.
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
      // The caller of the place may be a function that a macro has made, as `@Test` does.
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
    // Usually there is none.
    let count = min(read(nil, 0), mostLocks)
    guard count > 0 else { return [] }
    let locks = [interlock_kept_lock](unsafeUninitializedCapacity: count) {
      $1 = min(read($0.baseAddress, count), count)
    }
    return locks.map { HeldLock($0) }
  }
}

extension StackFrame {
  /// Whether it is in the expansion of a macro, which is no file of the user's.
  fileprivate var isOfMacro: Bool { file?.contains("@__swiftmacro_") == true }
}
