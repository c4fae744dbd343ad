import Dispatch
import Foundation
import Programs

/// Lists of observers.
let observerPrograms: [Program] = [
  Program(
    "called-after-removal", "an observer is called from a copy of the list, after its removal",
    .failsInSomeOrder(.violation),
    twin: "the observer is looked up again, and is called under the lock"
  ) {
    let observers = Guarded([1])
    let (isRemoved, calledAfter) = (Guarded(false), Guarded(false))
    together(
      {
        for _ in observers.value where isRemoved.value { calledAfter.set(true) }
      },
      {
        observers.update { $0.removeAll { $0 == 1 } }
        isRemoved.set(true)
      })
    try expect(!calledAfter.value, "a removed observer was called")
  } right: {
    let observers = Guarded([1])
    let (isRemoved, calledAfter) = (Guarded(false), Guarded(false))
    together(
      {
        observers.update { for _ in $0 where isRemoved.value { calledAfter.set(true) } }
      },
      {
        observers.update { $0.removeAll { $0 == 1 } }
        isRemoved.set(true)
      })
    try expect(!calledAfter.value, "a removed observer was called")
  },

  Program(
    "missed-before-subscription",
    "a value is sent after the current one is read, before subscribing",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock reads the current value and subscribes"
  ) {
    let subject = Guarded((value: 1, subscribers: [Guarded<Int>]()))
    let seen = Guarded(0)
    together(
      {
        seen.set(subject.value.value)
        subject.update { $0.subscribers.append(seen) }
      },
      {
        subject.update { subject in
          subject.value = 2
          for subscriber in subject.subscribers { subscriber.set(2) }
        }
      })
    try expect(seen.value == 2, "the subscriber has the value \(seen.value), the subject has 2")
  } right: {
    let subject = Guarded((value: 1, subscribers: [Guarded<Int>]()))
    let seen = Guarded(0)
    together(
      {
        subject.update {
          seen.set($0.value)
          $0.subscribers.append(seen)
        }
      },
      {
        subject.update { subject in
          subject.value = 2
          for subscriber in subject.subscribers { subscriber.set(2) }
        }
      })
    try expect(seen.value == 2, "the subscriber has the value \(seen.value), the subject has 2")
  },

  Program(
    "notified-out-of-order", "two changes are stored in one order and reported in the other",
    .failsInSomeOrder(.violation), twin: "a change is reported under the lock that stores it"
  ) {
    let (value, reported) = (Guarded(0), Guarded(0))
    let change = { @Sendable (new: Int) in
      value.set(new)
      reported.set(new)
    }
    together({ change(1) }, { change(2) })
    try expect(
      reported.value == value.value, "\(value.value) is stored, \(reported.value) was reported last"
    )
  } right: {
    let (value, reported) = (Guarded(0), Guarded(0))
    let change = { @Sendable (new: Int) in
      value.update {
        $0 = new
        reported.set(new)
      }
    }
    together({ change(1) }, { change(2) })
    try expect(
      reported.value == value.value, "\(value.value) is stored, \(reported.value) was reported last"
    )
  },
]
