import Foundation
import Interlock
import LockStrategies
import PredictPrograms
import Programs

/// A correct program for each primitive: two threads increment one number under it, without a
/// pause.
let guardedPrograms: [Program] =
  [
    guarded("posix-mutex", "a POSIX mutex") { PthreadMutexLock() },
    guarded("nslock", "an NSLock") { FoundationLock() },
    guarded("recursive-lock", "an NSRecursiveLock") { RecursiveFoundationLock() },
    guarded("reader-writer-lock", "a POSIX reader-writer lock") { ReaderWriterLock() },
    guarded("semaphore", "a DispatchSemaphore of 1") { SemaphoreLock() },
    guarded("serial-queue", "sync on a serial queue") { SerialQueueLock() },
    guarded("barrier", "sync with a barrier on a concurrent queue") { BarrierQueueLock() },
    guarded("spin-lock", "a lock built on an atomic") { SpinLock() },
    guarded("stdlib-mutex", "a standard library Mutex") { ReportingMutex() },
  ] + [
    Program("guarded-by-actor", "two tasks raise one number in an actor", .predicts()) {
      let ended = DispatchSemaphore(value: 0)
      Task.detached {
        let counter = Counter()
        async let one: Void = counter.raiseOften()
        async let other: Void = counter.raiseOften()
        _ = await (one, other)
        ended.signal()
      }
      ended.wait()
    }
  ]

/// The turns of each thread: enough that both run at the same time.
private let turns = 20_000

private func guarded<Strategy: Lock>(
  _ name: String, _ what: String, _ make: @escaping @Sendable () -> Strategy
) -> Program {
  Program("guarded-by-\(name)", "two threads raise one number under \(what)", .predicts()) {
    let lock = make()
    let section = Section("number")
    let number = Number()
    onTwoThreads {
      for _ in 0..<turns {
        lock.withLock { section.write(synched: true) { number.value += 1 } }
      }
    }
  }
}

private actor Counter {
  private let section = Section("number")
  private var number = 0

  nonisolated func raiseOften() async {
    for _ in 0..<turns { await raise() }
  }

  private func raise() {
    section.write { number += 1 }
  }
}
