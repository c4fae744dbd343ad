internal import CMarks
internal import Synchronization

/// The child of a fork, whose only thread is the one that forked. The sections, looks, pins and
/// locks of the other threads are copies that no thread would ever end.
enum ForkedChild {
  /// Ends all that belongs to threads that exist only in the parent. Allocates and frees nothing:
  /// another thread may have held a lock at the fork. Names and parts of ended sections stay.
  static func forked() {
    let own = interlock_get_home()?.assumingMemoryBound(to: ThreadContext.self)
    let isKept: (Record) -> Bool = { record in
      guard let own else { return false }
      // A task that forks may have begun a section on another thread.
      return record[.owner] == own.currentOwner || record[.owner] == own.pointee.threadOwner
    }
    for index in 0..<Int(INTERLOCK_BUCKETS) { Bucket(index: index).keepOnly(where: isKept) }
    ThreadContexts.forEach { context in
      // Relaxed, here and below: the child has one thread.
      context.pointee.pins.pointee.store(0, ordering: .relaxed)
      context.forEachOwnRecordInUse { if !isKept($0) { $0.release() } }
      guard context != own else { return }
      // No delay waits for the thread: see `ThreadContexts.leave`.
      context.activity.pointee.store(0, ordering: .relaxed)
      context.suspicion.pointee.store(0, ordering: .relaxed)
    }
    if let own {
      own.pointee.thread = UInt(interlock_thread_number())
      own.threadNumber.pointee.store(own.pointee.thread, ordering: .relaxed)
    }
    ShadowStates.forked()
    ContentionCoverage.forked()
  }
}

extension Bucket {
  fileprivate init(index: Int) {
    words =
      interlock_get_buckets().assumingMemoryBound(to: Atomic<UInt>.self)
      + index * Int(INTERLOCK_BUCKET_WORDS)
  }

  /// Removes the other sections, and all looks. Only for a process with one thread.
  fileprivate func keepOnly(where isKept: (Record) -> Bool) {
    var inOverflow: UInt = 0
    forEachOccupied { word, slot in
      if let record = word.record, isKept(record) {
        if !isInline(slot) { inOverflow += 1 }
      } else {
        slot.pointee.store(0, ordering: .relaxed)
      }
      return true
    }
    // Most lines are empty: storing would copy their pages.
    if words[Self.overflowCount].load(ordering: .relaxed) != inOverflow {
      words[Self.overflowCount].store(inOverflow, ordering: .relaxed)
    }
  }
}

/// Entry point from C: the calling thread is the child of a fork. Called by a handler of `fork`.
@_cdecl("interlock_process_forked")
package func processForked() { ForkedChild.forked() }
