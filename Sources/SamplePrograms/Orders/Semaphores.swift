import Dispatch
import Foundation
import Programs

/// Semaphores and time-outs.
let semaphorePrograms: [Program] = [
  Program(
    "waiter-counted-late", "an event is signalled only for waiters that are counted already",
    .failsInSomeOrder(.deadlock),
    twin: "one hold of the lock looks at the event and counts the waiter"
  ) {
    let (isSet, waiters, semaphore) = (Guarded(false), Guarded(0), DispatchSemaphore(value: 0))
    together(
      {
        if isSet.value { return }
        waiters.update { $0 += 1 }
        semaphore.wait()
      },
      {
        isSet.set(true)
        if waiters.value > 0 { semaphore.signal() }
      })
  } right: {
    let (event, semaphore) = (Guarded((isSet: false, waiters: 0)), DispatchSemaphore(value: 0))
    together(
      {
        let mustWait = event.update { event in
          if !event.isSet { event.waiters += 1 }
          return !event.isSet
        }
        if mustWait { semaphore.wait() }
      },
      {
        let waiters = event.update { event in
          event.isSet = true
          return event.waiters
        }
        for _ in 0..<waiters { semaphore.signal() }
      })
  },

  Program(
    "timed-out-and-answered", "an answer comes after the time-out, before the request is withdrawn",
    .failsInSomeOrder(.violation),
    twin: "the hold that ends the request decides which of the two has ended it"
  ) {
    let (answered, isWithdrawn, results) = (
      DispatchSemaphore(value: 0), Guarded(false), Guarded([String]())
    )
    together(
      {
        if answered.wait(timeout: .now() + 1) == .timedOut {
          isWithdrawn.set(true)
          results.update { $0.append("timed out") }
        }
      },
      {
        if isWithdrawn.value { return }
        results.update { $0.append("answer") }
        answered.signal()
      })
    try expect(results.value.count == 1, "the caller got \(results.value)")
  } right: {
    let (answered, results) = (DispatchSemaphore(value: 0), Guarded([String]()))
    let end = { @Sendable (result: String) in
      results.update { if $0.isEmpty { $0.append(result) } }
    }
    together(
      {
        if answered.wait(timeout: .now() + 1) == .timedOut { end("timed out") }
      },
      {
        end("answer")
        answered.signal()
      })
    try expect(results.value.count == 1, "the caller got \(results.value)")
  },

  Program(
    "permit-kept-by-time-out",
    "a permit is signalled after the time-out, and stays for the next call",
    .failsInSomeOrder(.violation),
    twin: "each call has a semaphore of its own"
  ) {
    let semaphore = DispatchSemaphore(value: 0)
    let second = Guarded<DispatchTimeoutResult?>(nil)
    together(
      {
        _ = semaphore.wait(timeout: .now() + 1)
        // The next call, for which no answer arrives.
        second.set(semaphore.wait(timeout: .now() + 1))
      }, { semaphore.signal() })
    try expect(second.value == .timedOut, "the second call got the answer of the first")
  } right: {
    let semaphores = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let second = Guarded<DispatchTimeoutResult?>(nil)
    together(
      {
        _ = semaphores.0.wait(timeout: .now() + 1)
        second.set(semaphores.1.wait(timeout: .now() + 1))
      }, { semaphores.0.signal() })
    try expect(second.value == .timedOut, "the second call got the answer of the first")
  },

  Program(
    "completed-twice", "cancel() and the answer both find that the handler was not called yet",
    .failsInSomeOrder(.violation), twin: "one hold of the lock takes the handler"
  ) {
    let (isFinished, calls) = (Guarded(false), Guarded(0))
    let finish = { @Sendable in
      if isFinished.value { return }
      isFinished.set(true)
      calls.update { $0 += 1 }
    }
    together(finish, finish)
    try expect(calls.value == 1, "the handler was called \(calls.value) times")
  } right: {
    let calls = Guarded(0)
    let handler = Guarded<(@Sendable () -> Void)?> { calls.update { $0 += 1 } }
    let finish = { @Sendable in
      let taken = handler.update { handler in
        defer { handler = nil }
        return handler
      }
      taken?()
    }
    together(finish, finish)
    try expect(calls.value == 1, "the handler was called \(calls.value) times")
  },
]
