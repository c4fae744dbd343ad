internal import CMarks
internal import Synchronization

/// All thread contexts. A thread takes one at its first section, and returns it when it exits.
package enum ThreadContexts {
  private struct State {
    var idle: ThreadContext.Pointer?
    var threadsSeen: UInt = 0
  }

  private static let state = Guarded(State())
  /// The head of the list of all contexts, as an address. Contexts are never removed.
  private static let all = Atomic<UInt>(0)

  /// Creates a context, and links it into the list.
  static func make() -> ThreadContext.Pointer {
    // Use separate cache lines, in pairs since they are fetched in pairs: each begin writes to its
    // thread's context.
    let context = UnsafeMutableRawPointer.allocate(
      byteCount: (MemoryLayout<ThreadContext>.size + 127) & ~127, alignment: 128
    ).bindMemory(to: ThreadContext.self, capacity: 1)
    context.initialize(to: ThreadContext())
    for index in 0..<ThreadContext.recordCount {
      let record = Record(words: context.pointee.records + index * Record.wordCount)
      record[.pins] = UInt(bitPattern: context.pointee.pins)
    }
    var head = all.load(ordering: .relaxed)
    while true {
      context.pointee.following = ThreadContext.Pointer(bitPattern: head)
      // Release the context's contents to threads that walk the list.
      let result = all.compareExchange(
        expected: head, desired: UInt(bitPattern: context), ordering: .releasing)
      if result.exchanged { return context }
      head = result.original
    }
  }

  /// Gives the calling thread a context.
  @inline(never)
  static func adopt() -> ThreadContext.Pointer {
    let (found, number) = state.withLock { state -> (ThreadContext.Pointer?, UInt) in
      state.threadsSeen += 1
      let context = state.idle
      state.idle = context?.pointee.nextIdle
      return (context, state.threadsSeen)
    }
    let context = found ?? make()
    context.pointee.nextIdle = nil
    context.pointee.threadOwner = number << 1
    context.pointee.thread = UInt(interlock_thread_number())
    context.pointee.threadNumber.pointee.store(context.pointee.thread, ordering: .relaxed)
    context.pointee.labelSeen = nil
    context.pointee.labelCopy = nil
    context.pointee.taskWord = interlock_task_word()
    context.pointee.queueWord = interlock_queue_word()
    context.pointee.lastingQueue = ThreadContext.noQueue
    context.pointee.nameInShadowStates = 0
    context.pointee.lastSlot = nil
    interlock_stack_bounds(&context.pointee.stackLow, &context.pointee.stackHigh)
    interlock_set_home(context)
    if number == 1 { interlock_watch_exit() }
    return context
  }

  /// Takes back the context of an exiting thread.
  package static func leave(_ context: ThreadContext.Pointer) {
    // No delay waits for the thread any more, and its activity must not be taken for the next
    // thread's.
    context.activity.pointee.store(0, ordering: .relaxed)
    context.suspicion.pointee.store(0, ordering: .relaxed)
    state.withLock { state in
      context.pointee.nextIdle = state.idle
      state.idle = context
    }
  }

  /// Visits every context.
  package static func forEach(_ access: (ThreadContext.Pointer) -> Void) {
    // Acquire the contents of the contexts.
    var next = ThreadContext.Pointer(bitPattern: all.load(ordering: .acquiring))
    while let context = next {
      access(context)
      next = context.pointee.following
    }
  }

  /// Visits the records in use of every context.
  package static func forEachRecordInUse(_ access: (Record) -> Void) {
    forEach { $0.forEachOwnRecordInUse(access) }
  }
}
