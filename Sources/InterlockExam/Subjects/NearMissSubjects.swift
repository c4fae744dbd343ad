import Foundation
import Interlock
import LockStrategies
import StressRunner
import Synchronization

/// Short sections with pauses between them, which hardly ever overlap without near-miss delays.
let nearMissSubjects: [SubjectEntry] = [
  paused("paused-racy", "short writes without a lock, some 500 µs apart") { _, section, body in
    section.write(body)
  },
  paused("paused-masked", "paused-racy, with a lock of no use before and after each write") {
    lock, section, body in
    lock.withLock {}
    section.write(body)
    lock.withLock {}
  },
  paused("paused-check-then-act", "a look and a write, each locked, and nothing around both") {
    lock, section, body in
    section.write {
      lock.withLock {}
      lock.withLock { body() }
    }
  },
  paused("paused-locked", "paused-racy under a POSIX mutex") { lock, section, body in
    lock.withLock { section.write(synched: true, body) }
  },
]

private typealias Write = @Sendable (PthreadMutexLock, Section, () -> Void) -> Void

private func paused(_ name: String, _ summary: String, _ write: @escaping Write) -> SubjectEntry {
  SubjectEntry(name: name, summary: summary, family: "Near misses", runsUnlisted: false) {
    PausedWrites(name: name, write)
  }
}

/// A number that is written after a pause of up to a millisecond.
private final class PausedWrites: Subject {
  private let lock = PthreadMutexLock()
  private let section: Section
  private let write: Write
  // Atomic, so that the sections race but the behaviour stays defined.
  private let number = Atomic(0)

  init(name: String, _ write: @escaping Write) {
    section = Section("\(name).number")
    self.write = write
  }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool { kind == .set }

  func perform(_ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void)
  {
    Thread.sleep(forTimeInterval: .random(in: 0...0.001))
    // Relaxed: it orders no data.
    write(lock, section) { number.wrappingAdd(1, ordering: .relaxed) }
    completion(.done)
  }
}
