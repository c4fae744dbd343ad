internal import CInterlock
internal import Synchronization

/// Every home there is. A thread takes one at its first section and leaves it when it exits.
enum ThreadHomes {
  private struct State {
    var idle: ThreadHome.Pointer?
    var threadsSeen: UInt = 0
  }

  private static let state = Guarded(State())
  /// The head of the list of all homes, as an address: homes are only ever added.
  private static let all = Atomic<UInt>(0)

  /// Makes a home and links it into the list of all.
  static func make() -> ThreadHome.Pointer {
    // On cache lines of its own, two at a time since they are fetched in pairs: homes are written
    // at every begin, each by another thread.
    let home = UnsafeMutableRawPointer.allocate(
      byteCount: (MemoryLayout<ThreadHome>.size + 127) & ~127, alignment: 128
    ).bindMemory(to: ThreadHome.self, capacity: 1)
    home.initialize(to: ThreadHome())
    for index in 0..<ThreadHome.recordCount {
      let record = Record(words: home.pointee.records + index * Record.wordCount)
      record[.pins] = UInt(bitPattern: home.pointee.pins)
    }
    var head = all.load(ordering: .relaxed)
    while true {
      home.pointee.following = ThreadHome.Pointer(bitPattern: head)
      // Releases the home's contents to whoever walks the list.
      let result = all.compareExchange(
        expected: head, desired: UInt(bitPattern: home), ordering: .releasing)
      if result.exchanged { return home }
      head = result.original
    }
  }

  /// Gives the calling thread a home.
  @inline(never)
  static func adopt() -> ThreadHome.Pointer {
    let (found, number) = state.withLock { state -> (ThreadHome.Pointer?, UInt) in
      state.threadsSeen += 1
      let home = state.idle
      state.idle = home?.pointee.nextIdle
      return (home, state.threadsSeen)
    }
    let home = found ?? make()
    home.pointee.nextIdle = nil
    home.pointee.threadOwner = number << 1
    home.pointee.thread = UInt(interlock_thread_number())
    home.pointee.threadNumber.pointee.store(home.pointee.thread, ordering: .relaxed)
    home.pointee.labelSeen = nil
    home.pointee.labelCopy = nil
    home.pointee.queueWord = interlock_queue_word()
    home.pointee.lastingQueue = ThreadHome.noQueue
    home.pointee.nameInHistories = 0
    home.pointee.lastSlot = nil
    interlock_stack_bounds(&home.pointee.stackLow, &home.pointee.stackHigh)
    interlock_set_home(home)
    if number == 1 { interlock_watch_exit() }
    return home
  }

  /// Takes back the home of a thread that exits.
  static func leave(_ home: ThreadHome.Pointer) {
    // A delay expects nothing more of the thread, and what it did says nothing of the next one.
    home.activity.pointee.store(0, ordering: .relaxed)
    home.suspicion.pointee.store(0, ordering: .relaxed)
    state.withLock { state in
      home.pointee.nextIdle = state.idle
      state.idle = home
    }
  }

  /// Visits every home.
  static func forEach(_ visit: (ThreadHome.Pointer) -> Void) {
    // Acquires the homes' contents.
    var next = ThreadHome.Pointer(bitPattern: all.load(ordering: .acquiring))
    while let home = next {
      visit(home)
      next = home.pointee.following
    }
  }

  /// Visits the records in use of every home.
  static func forEachRecordInUse(_ visit: (Record) -> Void) {
    forEach { home in
      for index in 0..<ThreadHome.recordCount {
        let record = Record(words: home.pointee.records + index * Record.wordCount)
        if record.isInUse { visit(record) }
      }
    }
  }
}
