import Foundation
import Interlock
import LockStrategies
import PredictPrograms
import Programs

/// Short accesses with pauses between them, which hardly ever overlap without delays: 50 on each of
/// two threads.
let shortWritePrograms: [Program] = [
  shortWrites("short-writes-unlocked", "two threads make 50 short writes without a lock", .races) {
    _, section, number in
    section.write { number.value += 1 }
  },
  shortWrites(
    "short-writes-masked", "short-writes-unlocked, with a lock of no use before and after each",
    .races
  ) { lock, section, number in
    lock.withLock {}
    section.write { number.value += 1 }
    lock.withLock {}
  },
  shortWrites(
    "short-writes-locked", "two threads make 50 short writes under a POSIX mutex", .predicts()
  ) {
    lock, section, number in
    lock.withLock { section.write(synched: true) { number.value += 1 } }
  },
  shortWrites(
    "look-then-change", "a look and a change, each locked, and nothing around both", .races
  ) {
    lock, section, number in
    section.write {
      let seen = lock.withLock { number.value }
      lock.withLock { number.value = seen + 1 }
    }
  },
  shortWrites("look-and-change", "a look and a change under one POSIX mutex", .predicts()) {
    lock, section, number in
    lock.withLock {
      section.write(synched: true) {
        let seen = number.value
        number.value = seen + 1
      }
    }
  },
]

/// A number in plain memory.
final class Number: @unchecked Sendable {
  // Unchecked, like the faults that the programs show: each program decides what guards it.
  var value = 0
}

private func shortWrites(
  _ name: String, _ summary: String, _ expected: Expected,
  _ write: @escaping @Sendable (PthreadMutexLock, Section, Number) -> Void
) -> Program {
  Program(name, summary, expected, source: .nearMiss) {
    let lock = PthreadMutexLock()
    let section = Section("number")
    let number = Number()
    onTwoThreads {
      for _ in 0..<50 {
        Thread.sleep(forTimeInterval: .random(in: 0...0.001))
        write(lock, section, number)
      }
    }
  }
}

/// Runs the body on two threads, released together, and waits for both.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
  let started = DispatchGroup()
  let ended = DispatchGroup()
  for _ in 0..<2 { started.enter() }
  for _ in 0..<2 {
    ended.enter()
    Thread.detachNewThread {
      started.leave()
      started.wait()
      body()
      ended.leave()
    }
  }
  ended.wait()
}
