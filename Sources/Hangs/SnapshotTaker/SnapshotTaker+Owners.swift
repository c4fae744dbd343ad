import CInterlockAnalysis

// Finds the holder of a lock in the lock's own word.

extension SnapshotTaker {
  /// Corrects the holders of the locks that threads wait for by the locks' own words. A lock may
  /// have been acquired before the wait table was filled, or released by another thread, and the
  /// holder of a contended Swift mutex is only in its word.
  static func correctHolders(in threads: inout [WaitSnapshot.Thread]) {
    var owners: [UInt: Int] = [:]
    var kinds: [UInt: WaitSnapshot.ObjectKind] = [:]
    for wait in threads.compactMap(\.wait) where owners[wait.object] == nil {
      switch wait.kind {
      case .mutex: owners[wait.object] = Int(interlock_mutex_owner(wait.object))
      case .readLock, .writeLock:
        // The word of a read-write lock names only the writer.
        let writer = Int(interlock_lock_writer(wait.object))
        guard writer != 0 else { continue }
        owners[wait.object] = writer
        kinds[wait.object] = .writeLock
        continue
      case .swiftMutex: owners[wait.object] = ownerOfFutex(wait.object)
      case .initializer: owners[wait.object] = ownerOfOnce(wait.object)?.thread
      default: continue
      }
      kinds[wait.object] = wait.kind
    }
    guard !owners.isEmpty else { return }
    for index in threads.indices {
      let id = threads[index].id
      threads[index].held.removeAll { owners[$0.object].map { $0 != id } ?? false }
      for (object, owner) in owners where owner == id {
        guard !threads[index].held.contains(where: { $0.object == object }),
          let kind = kinds[object]
        else { continue }
        threads[index].held.append(WaitSnapshot.Held(kind: kind, object: object))
      }
    }
  }

  /// The thread that runs an initialiser, 0 for none, by the function that guards the initialiser.
  enum OnceOwner {
    case swift(Int)
    case dispatch(Int)

    var thread: Int {
      switch self {
      case .swift(let thread), .dispatch(let thread): thread
      }
    }
  }

  /// The thread that runs an initialiser; `nil` if its memory cannot be read.
  ///
  /// `dispatch_once` stores the thread in the first of two words. `swift_once` stores it in the
  /// second word, with 0 in the first. Both set all bits of the first word at the end.
  static func ownerOfOnce(_ address: UInt) -> OnceOwner? {
    var word: UInt32 = 0
    guard interlock_peek(address, &word, 4) else { return nil }
    if word == .max { return .swift(0) }
    if word != 0 { return ownerOfFutex(address).map { .dispatch($0) } }
    return ownerOfFutex(address + 4).map { .swift($0) }
  }

  /// The thread that holds a lock whose word names its holder.
  private static func ownerOfFutex(_ address: UInt) -> Int? {
    var word: UInt32 = 0
    guard interlock_peek(address, &word, 4) else { return nil }
    // Mask the kernel's two bits, which mark waiters and a dead holder.
    return Int(word & 0x3fff_ffff)
  }
}
