import Dispatch
import Foundation
import Programs

/// Delays, debouncing and timers.
let timerPrograms: [Program] = [
  Program(
    "change-lost-in-debounce",
    "a change comes when the delay is over, while the save takes the change before",
    .failsInSomeOrder(.violation), twin: "one hold of the lock takes the change and ends the delay"
  ) {
    let (latest, isScheduled, saved) = (Guarded(0), Guarded(false), Guarded(0))
    let saves = DispatchGroup()
    let change = { @Sendable (value: Int) in
      latest.set(value)
      if isScheduled.value { return }
      isScheduled.set(true)
      saves.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        saved.set(latest.value)
        isScheduled.set(false)
        saves.leave()
      }
    }
    change(1)
    Thread.sleep(forTimeInterval: 1)
    change(2)
    saves.wait()
    try expect(saved.value == 2, "\(saved.value) was saved, and the last change was 2")
  } right: {
    let (state, saved) = (Guarded((latest: 0, isScheduled: false)), Guarded(0))
    let saves = DispatchGroup()
    let change = { @Sendable (value: Int) in
      let mustSchedule = state.update { state in
        state.latest = value
        defer { state.isScheduled = true }
        return !state.isScheduled
      }
      if !mustSchedule { return }
      saves.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        state.update {
          $0.isScheduled = false
          saved.set($0.latest)
        }
        saves.leave()
      }
    }
    change(1)
    Thread.sleep(forTimeInterval: 1)
    change(2)
    saves.wait()
    try expect(saved.value == 2, "\(saved.value) was saved, and the last change was 2")
  },

  Program(
    "timer-fires-after-cancel", "a timer's handler runs while its owner releases what it uses",
    .failsInSomeOrder(.violation),
    twin: "the owner releases in the cancel handler, after the last event"
  ) {
    let (isReleased, usedAfter) = (Guarded(false), Guarded(false))
    let (fired, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    timer.schedule(deadline: .now() + 1)
    timer.setEventHandler {
      fired.signal()
      if isReleased.value { usedAfter.set(true) }
    }
    timer.setCancelHandler { ended.signal() }
    timer.resume()
    fired.wait()
    timer.cancel()
    isReleased.set(true)
    ended.wait()
    try expect(!usedAfter.value, "the timer used what its owner had released")
  } right: {
    let (isReleased, usedAfter) = (Guarded(false), Guarded(false))
    let (fired, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    timer.schedule(deadline: .now() + 1)
    timer.setEventHandler {
      fired.signal()
      if isReleased.value { usedAfter.set(true) }
    }
    timer.setCancelHandler {
      isReleased.set(true)
      ended.signal()
    }
    timer.resume()
    fired.wait()
    timer.cancel()
    ended.wait()
    try expect(!usedAfter.value, "the timer used what its owner had released")
  },

  Program(
    "renewed-and-expired", "a lease is renewed after its timer has found that it was not",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock finds the lease not renewed and ends it"
  ) {
    let (isRenewed, isExpired) = (Guarded(false), Guarded(false))
    let timers = DispatchGroup()
    timers.enter()
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      if !isRenewed.value { isExpired.set(true) }
      timers.leave()
    }
    Thread.sleep(forTimeInterval: 1)
    if !isExpired.value { isRenewed.set(true) }
    timers.wait()
    let both = isRenewed.value && isExpired.value
    try expect(!both, "a renewed lease has expired")
  } right: {
    let lease = Guarded("held")
    let timers = DispatchGroup()
    timers.enter()
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      lease.update { if $0 == "held" { $0 = "expired" } }
      timers.leave()
    }
    Thread.sleep(forTimeInterval: 1)
    let wasRenewed = lease.update { lease in
      if lease == "held" { lease = "renewed" }
      return lease == "renewed"
    }
    timers.wait()
    try expect(wasRenewed == (lease.value == "renewed"), "a renewed lease has expired")
  },
]
