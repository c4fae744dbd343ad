import Foundation
import Interlock
import PredictPrograms
import Programs
import Synchronization

/// Mutexes of the standard library that are taken through sections, which makes their use visible.
let sectionMutexPrograms: [Program] = [
  Program(
    "section-mutexes-both-ways",
    "two accounts' Mutexes are taken through their sections, the source first",
    .predicts(.lockOrder)
  ) {
    let (first, second) = (Purse(), Purse())
    inTurn {
      first.give(1, to: second)
    } and: {
      second.give(1, to: first)
    }
  },
  Program(
    "section-mutexes-one-way",
    "two accounts' Mutexes are taken through their sections, the lower number first", .predicts()
  ) {
    let (first, second) = (Purse(), Purse())
    inTurn {
      first.give(1, to: second)
    } and: {
      for _ in 0..<100 { first.take(1, from: second) }
    }
    // At the addresses of other mutexes, which were taken in the opposite order.
    for turn in 0..<1000 {
      let (one, other) = (Purse(), Purse())
      if turn % 2 == 0 { one.give(1, to: other) } else { other.give(1, to: one) }
    }
  },
]

/// Runs the bodies on two threads, the second after the first has ended.
private func inTurn(
  _ first: @escaping @Sendable () -> Void, and second: @escaping @Sendable () -> Void
) {
  for body in [first, second] {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      ended.signal()
    }
    ended.wait()
  }
}

private final class Purse: Sendable {
  private let money = Mutex(100)
  private let section = Section("money")

  func give(_ sum: Int, to other: Purse) {
    section.write(locking: money) { mine in
      mine -= sum
      other.section.write(locking: other.money) { $0 += sum }
    }
  }

  func take(_ sum: Int, from other: Purse) {
    section.write(locking: money) { mine in
      mine += sum
      other.section.write(locking: other.money) { $0 -= sum }
    }
  }
}
