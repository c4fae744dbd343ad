import Dispatch
import Foundation
import Programs

/// Reads and writes that are each under a lock, and together are not.
let updatePrograms: [Program] = [
  Program(
    "update-in-two-steps", "two blocks read a number under its lock and write it under its lock",
    .failsInSomeOrder(.violation), twin: "two blocks add to a number under one hold of its lock"
  ) {
    let count = Guarded(0)
    together({ count.set(count.value + 1) }, { count.set(count.value + 1) })
    try expect(count.value == 2, "2 additions gave \(count.value)")
  } right: {
    let count = Guarded(0)
    together({ count.update { $0 += 1 } }, { count.update { $0 += 1 } })
    try expect(count.value == 2, "2 additions gave \(count.value)")
  },

  Program(
    "total-during-transfer", "a sum of two balances is taken while money is between them",
    .failsInSomeOrder(.violation), twin: "the transfer and the sum hold both locks, in one order"
  ) {
    let (first, second) = (Guarded(100), Guarded(100))
    let total = Guarded(0)
    together(
      {
        first.update { $0 -= 30 }
        second.update { $0 += 30 }
      }, { total.set(first.value + second.value) })
    try expect(total.value == 200, "the sum was \(total.value)")
  } right: {
    let (first, second) = (Guarded(100), Guarded(100))
    let total = Guarded(0)
    together(
      {
        first.update { first in
          second.update {
            first -= 30
            $0 += 30
          }
        }
      }, { total.set(first.update { first in second.update { first + $0 } }) })
    try expect(total.value == 200, "the sum was \(total.value)")
  },

  Program(
    "pair-read-in-two-steps", "width and height are written under one lock and read one by one",
    .failsInSomeOrder(.violation), twin: "width and height are read under one hold of the lock"
  ) {
    let size = Guarded((width: 1, height: 1))
    let seen = Guarded((width: 1, height: 1))
    together(
      { size.set((width: 2, height: 2)) },
      {
        seen.set((width: size.value.width, height: size.value.height))
      })
    try expect(seen.value.width == seen.value.height, "a size of \(seen.value) never existed")
  } right: {
    let size = Guarded((width: 1, height: 1))
    let seen = Guarded((width: 1, height: 1))
    together({ size.set((width: 2, height: 2)) }, { seen.set(size.value) })
    try expect(seen.value.width == seen.value.height, "a size of \(seen.value) never existed")
  },

  Program(
    "last-one-out", "each of two workers counts itself out, then reads whether it is the last",
    .failsInSomeOrder(.violation),
    twin: "the hold that counts a worker out also decides whether it is the last",
    source: "Apache HTTP Server, bug 21287: a reference count is decremented, then tested"
  ) {
    let (remaining, cleanups) = (Guarded(2), Guarded(0))
    let leave = { @Sendable in
      remaining.update { $0 -= 1 }
      if remaining.value == 0 { cleanups.update { $0 += 1 } }
    }
    together(leave, leave)
    try expect(cleanups.value == 1, "\(cleanups.value) workers were the last")
  } right: {
    let (remaining, cleanups) = (Guarded(2), Guarded(0))
    let leave = { @Sendable in
      let isLast = remaining.update { remaining in
        remaining -= 1
        return remaining == 0
      }
      if isLast { cleanups.update { $0 += 1 } }
    }
    together(leave, leave)
    try expect(cleanups.value == 1, "\(cleanups.value) workers were the last")
  },

  Program(
    "append-while-truncated", "a buffer is read by a length that another thread has changed",
    .failsInSomeOrder(.crashed), twin: "the other buffer is copied under one hold of its lock",
    source: "JDK 1.4, StringBuffer.append: the other buffer's length and characters are read apart"
  ) {
    let (buffer, other) = (Guarded("a"), Guarded("bcd"))
    together(
      {
        let count = other.value.count
        // Traps if the other buffer has become shorter.
        let end = other.update { $0.unicodeScalars.map(\.self)[..<count] }
        buffer.update { $0.unicodeScalars.append(contentsOf: end) }
      }, { other.set("") })
    try expect(["a", "abcd"].contains(buffer.value), "the buffer is \(buffer.value)")
  } right: {
    let (buffer, other) = (Guarded("a"), Guarded("bcd"))
    together(
      {
        let copy = other.value
        buffer.update { $0 += copy }
      }, { other.set("") })
    try expect(["a", "abcd"].contains(buffer.value), "the buffer is \(buffer.value)")
  },

  Program(
    "limit-passed", "two requests see one permit left, and each takes it",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock checks for a permit and takes it"
  ) {
    let permits = Guarded(1)
    let request = { @Sendable in
      guard permits.value > 0 else { return }
      permits.update { $0 -= 1 }
    }
    together(request, request)
    try expect(permits.value == 0, "\(permits.value) permits are left of 1")
  } right: {
    let permits = Guarded(1)
    let request = { @Sendable in
      permits.update { permits in
        guard permits > 0 else { return }
        permits -= 1
      }
    }
    together(request, request)
    try expect(permits.value == 0, "\(permits.value) permits are left of 1")
  },

  Program(
    "failures-forgotten", "a success resets the count of failures while a third failure is counted",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock counts a failure and opens the breaker",
    source: "swift-package-manager, pull request 10399: errors of a host read under two holds"
  ) {
    let (failures, isOpen) = (Guarded(2), Guarded(false))
    together(
      {
        let count = failures.value + 1
        failures.set(count)
        if count == 3 { isOpen.set(true) }
      },
      {
        failures.set(0)
        isOpen.set(false)
      })
    let state = (failures.value, isOpen.value)
    try expect(state.1 == (state.0 >= 3), "\(state.0) failures, and open is \(state.1)")
  } right: {
    let breaker = Guarded((failures: 2, isOpen: false))
    together(
      {
        breaker.update {
          $0.failures += 1
          if $0.failures == 3 { $0.isOpen = true }
        }
      }, { breaker.set((failures: 0, isOpen: false)) })
    let state = breaker.value
    try expect(state.isOpen == (state.failures >= 3), "\(state) after a success and a failure")
  },
]
