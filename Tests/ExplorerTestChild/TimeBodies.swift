import Dispatch
import Foundation

/// A value under a lock: each access is a step that other threads' steps can come between.
private final class Locked<Value: Sendable>: @unchecked Sendable {
  // Unchecked: every access is under the lock.
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }

  func change(_ change: (inout Value) -> Void) { lock.withLock { change(&stored) } }
}

/// Lets a thread set a value, waits in the given way, and notes the value.
private func noteValue(after wait: @escaping @Sendable () -> Void) {
  let set = Locked(0)
  let thread = startThread { set.value = 1 }
  wait()
  Outcomes.note("\(set.value)")
  pthread_join(thread, nil)
}

/// Bodies in which times are lower bounds: no sleep, delay or timer orders anything.
let timeBodies = [
  Body("usleep-as-join") {
    noteValue { usleep(1000) }; return true
  },
  Body("thread-sleep-as-join") {
    noteValue { Thread.sleep(forTimeInterval: 0.001) }
    return true
  },
  Body("hours-as-join") {
    noteValue { sleep(7200) }; return true
  },
  Body("joined-after-sleep") {
    let set = Locked(0)
    let thread = startThread { set.value = 1 }
    usleep(1000)
    pthread_join(thread, nil)
    return set.value == 1
  },
  Body("task-sleep-as-join") {
    let (set, done) = (Locked(0), DispatchSemaphore(value: 0))
    Task {
      let other = Task { set.value = 1 }
      try await Task.sleep(for: .milliseconds(1))
      Outcomes.note("\(set.value)")
      await other.value
      done.signal()
    }
    done.wait()
    return true
  },
  Body("delay-as-order") {
    let (trail, group) = (Locked(""), DispatchGroup())
    let queue = DispatchQueue(label: "delayed")
    for _ in 0..<2 { group.enter() }
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) {
      trail.change { $0 += "L" }
      group.leave()
    }
    queue.async {
      trail.change { $0 += "A" }
      group.leave()
    }
    group.wait()
    Outcomes.note(trail.value)
    return true
  },
  Body("shorter-sleep-first") {
    let trail = Locked("")
    runThreads(
      {
        usleep(1000)
        trail.change { $0 += "1" }
      },
      {
        usleep(2000)
        trail.change { $0 += "2" }
      })
    Outcomes.note(trail.value)
    return true
  },
  Body("earlier-timer-first") {
    let (trail, group) = (Locked(""), DispatchGroup())
    for hours in 1...2 {
      group.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3600 * hours)) {
        trail.change { $0 += "\(hours)" }
        group.leave()
      }
    }
    group.wait()
    Outcomes.note(trail.value)
    return true
  },
  Body("delayed-beyond-the-end") {
    // The block may run before the body ends, and then races with its accesses.
    let set = Locked(0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { set.value += 1 }
    set.change { $0 += 10 }
    Outcomes.note("\(set.value)")
    return true
  },
  Body("sleeps-that-order-nothing") {
    runThreads({ usleep(1000) }, { usleep(2000) }, { sleep(1) })
    return true
  },
  Body("sleep-and-clock") {
    // The clock shows the later of the two sleeps that have ended before.
    let begin = time(after: 0, clock: CLOCK_MONOTONIC)
    let seen = Locked(0)
    runThreads(
      { sleep(1) },
      { sleep(2) },
      { seen.value = time(after: 0, clock: CLOCK_MONOTONIC).tv_sec - begin.tv_sec })
    Outcomes.note("\(seen.value)")
    return true
  },
  Body("polling-sleep") {
    let isDone = Locked(false)
    runThreads(
      { while !isDone.value { usleep(1000) } },
      { isDone.value = true })
    return true
  },
  Body("two-polling-sleeps") {
    let turn = Locked(0)
    runThreads(
      { while turn.value != 1 { usleep(1000) } },
      {
        while turn.value != 0 { usleep(1000) }
        turn.value = 1
      },
      { usleep(1000) })
    return true
  },
  Body("polling-task-sleep") {
    let (isDone, done) = (Locked(false), DispatchSemaphore(value: 0))
    Task {
      while !isDone.value { try await Task.sleep(for: .milliseconds(1)) }
      done.signal()
    }
    Task { isDone.value = true }
    done.wait()
    return true
  },
  Body("three-tries") {
    let isDone = Locked(false)
    let thread = startThread { isDone.value = true }
    var tries = 0
    while !isDone.value && tries < 3 {
      usleep(1000)
      tries += 1
    }
    Outcomes.note(isDone.value ? "done" : "gave up")
    pthread_join(thread, nil)
    return true
  },
  Body("repeating-timer") {
    let (count, done) = (Locked(0), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler {
      count.change { $0 += 1 }
      if count.value == 2 { done.signal() }
    }
    timer.resume()
    done.wait()
    timer.cancel()
    return count.value >= 2
  },
]
