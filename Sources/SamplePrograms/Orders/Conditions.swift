import Dispatch
import Foundation
import Programs

/// Conditions whose waits and signals come in the wrong order.
let conditionPrograms: [Program] = [
  Program(
    "signalled-before-wait", "a thread checks a flag, and waits after the signal",
    .failsInSomeOrder(.deadlock), twin: "the flag is checked and set under the condition's lock"
  ) {
    let (isReady, condition) = (Guarded(false), NSCondition())
    together(
      {
        if isReady.value { return }
        condition.withLock { condition.wait() }
      },
      {
        isReady.set(true)
        condition.withLock { condition.signal() }
      })
  } right: {
    let (isReady, condition) = (Guarded(false), NSCondition())
    together(
      {
        condition.withLock { while !isReady.value { condition.wait() } }
      },
      {
        condition.withLock {
          isReady.set(true)
          condition.signal()
        }
      })
  },

  Program(
    "signal-reaches-a-consumer", "producers and consumers of a buffer of one share a condition",
    .failsInSomeOrder(.deadlock), twin: "each change wakes all waiters",
    source: "Extreme Programming Challenge Fourteen: a bounded buffer that notifies one waiter"
  ) {
    let buffer = Buffer { $0.signal() }
    together(
      {
        buffer.put(); buffer.put()
      }, { buffer.take() }, { buffer.take() })
  } right: {
    let buffer = Buffer { $0.broadcast() }
    together(
      {
        buffer.put(); buffer.put()
      }, { buffer.take() }, { buffer.take() })
  },

  Program(
    "woken-and-overtaken", "a woken consumer does not check again, and the item is gone",
    .failsInSomeOrder(.crashed), twin: "the consumer checks again each time it is woken"
  ) {
    let (condition, items) = (NSCondition(), Guarded([Int]()))
    together(
      {
        condition.withLock {
          if items.value.isEmpty { condition.wait() }
          // Traps if another consumer was faster.
          _ = items.update { $0.removeLast() }
        }
      },
      {
        condition.withLock {
          items.update { $0.append(1) }
          condition.signal()
        }
      }, { condition.withLock { _ = items.update { $0.popLast() } } })
  } right: {
    let (condition, items) = (NSCondition(), Guarded([Int]()))
    let isOver = Guarded(false)
    together(
      {
        condition.withLock {
          while items.value.isEmpty, !isOver.value { condition.wait() }
          _ = items.update { $0.popLast() }
        }
      },
      {
        condition.withLock {
          items.update { $0.append(1) }
          condition.signal()
        }
      },
      {
        condition.withLock {
          _ = items.update { $0.popLast() }
          isOver.set(true)
          condition.signal()
        }
      })
  },

  Program(
    "woken-for-another-turn", "one condition wakes one of two waiters, and the turn is the other's",
    .failsInSomeOrder(.deadlock), twin: "each change of the turn wakes all waiters"
  ) {
    let turns = Turns { $0.signal() }
    together({ turns.wait(for: 1) }, { turns.wait(for: 2) }, { turns.set(1) })
  } right: {
    let turns = Turns { $0.broadcast() }
    together({ turns.wait(for: 1) }, { turns.wait(for: 2) }, { turns.set(1) })
  },
]

/// A buffer of one item.
private final class Buffer: @unchecked Sendable {
  // Unchecked: the condition's lock protects the state.
  private let condition = NSCondition()
  private var isFull = false
  private let wake: (NSCondition) -> Void

  init(_ wake: @escaping (NSCondition) -> Void) { self.wake = wake }

  func put() { change(to: true) }
  func take() { change(to: false) }

  private func change(to full: Bool) {
    condition.withLock {
      while isFull == full { condition.wait() }
      isFull = full
      wake(condition)
    }
  }
}

/// Turn 1 sets turn 2 when it is over.
private final class Turns: @unchecked Sendable {
  // Unchecked: the condition's lock protects the state.
  private let condition = NSCondition()
  private var turn = 0
  private let wake: (NSCondition) -> Void

  init(_ wake: @escaping (NSCondition) -> Void) { self.wake = wake }

  func wait(for wanted: Int) {
    condition.withLock { while turn < wanted { condition.wait() } }
    if wanted == 1 { set(2) }
  }

  func set(_ new: Int) {
    condition.withLock {
      turn = new
      wake(condition)
    }
  }
}
