import Foundation
import Synchronization

/// A model whose owner tells the main thread about a change.
private final class Model: @unchecked Sendable {
  // Unchecked: the lock protects the value.
  private let lock = NSLock()
  private let queue = DispatchQueue(label: "model")
  private var value = 0

  func read() -> Int { lock.withLock { value } }

  func readOnQueue() -> Int { queue.sync { value } }

  /// Shows the change on the main queue while the lock is held.
  func changeUnderLock() {
    lock.withLock {
      value += 1
      DispatchQueue.main.sync {}
    }
  }

  /// Shows the change on the main queue after the lock is released.
  func change() {
    lock.withLock { value += 1 }
    DispatchQueue.main.sync {}
  }

  /// Shows the change in a block of the main queue.
  func changeOnQueue() {
    queue.sync { DispatchQueue.main.sync {} }
  }
}

extension Programs {
  /// The main thread takes a lock outside all blocks of the main queue.
  static let mainThread: [String: Program] = [
    // The thread exists before the main thread reads, and could change the model meanwhile.
    "main-reads-while-a-thread-shows": { _ in
      let model = Model()
      let hasRead = Flag()
      let ended = start {
        while !hasRead.isSet {}
        model.changeUnderLock()
      }
      _ = model.read()
      hasRead.set()
      serve(until: ended)
    },
    // The main thread reads between two changes.
    "main-reads-between-two-changes": { _ in
      let model = Model()
      let (hasShown, hasRead) = (Flag(), Flag())
      let ended = start {
        model.changeUnderLock()
        hasShown.set()
        while !hasRead.isSet {}
        model.changeUnderLock()
      }
      while !hasShown.isSet { pump() }
      _ = model.read()
      hasRead.set()
      serve(until: ended)
    },
    "main-calls-a-queue-that-shows": { _ in
      let model = Model()
      let hasRead = Flag()
      let ended = start {
        while !hasRead.isSet {}
        model.changeOnQueue()
      }
      _ = model.readOnQueue()
      hasRead.set()
      serve(until: ended)
    },
    // Correct: the thread releases the lock before it shows the change.
    "main-reads-and-a-thread-shows-after-unlock": { _ in
      let model = Model()
      let ended = start { model.change() }
      _ = model.read()
      serve(until: ended)
    },
    // Correct: the main thread reads before the thread starts, and after it has ended.
    "main-reads-before-and-after": { _ in
      let model = Model()
      _ = model.read()
      serve(until: start { model.changeUnderLock() })
      _ = model.read()
    },
    // Correct: the block that shows the change is made after the main thread has read.
    "main-reads-before-a-block": { _ in
      let model = Model()
      _ = model.read()
      let ended = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        model.changeUnderLock()
        ended.signal()
      }
      serve(until: ended)
    },
    // Correct: the thread waits for a signal that the main thread sends after it has read.
    "main-reads-before-its-signal": { _ in
      let model = Model()
      let hasRead = DispatchSemaphore(value: 0)
      let ended = start {
        hasRead.wait()
        model.changeUnderLock()
      }
      _ = model.read()
      hasRead.signal()
      serve(until: ended)
    },
    // Correct: a try-lock waits for no holder.
    "main-only-tries": { _ in
      let lock = NSLock()
      let ended = start { lock.withLock { DispatchQueue.main.sync {} } }
      if lock.try() { lock.unlock() }
      serve(until: ended)
    },
  ]

  /// Starts a thread, and returns the semaphore that the thread signals at its end.
  private static func start(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      ended.signal()
    }
    return ended
  }

  /// The main thread runs its loop, which runs the blocks of the main queue.
  private static func serve(until ended: DispatchSemaphore) {
    while ended.wait(timeout: .now()) == .timedOut { pump() }
    print("done")
  }

  private static func pump() {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
  }
}

/// A flag that no call shows, so it orders nothing for the analysis.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
