import Dispatch
import Foundation

/// Timer sources: their handlers, their place in their queue, suspension and cancellation.
let timerSourceBodies = [
  Body("timer-overlap") {
    let (flag, ticks) = (OverlapFlag(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now(), repeating: 1)
    timer.setEventHandler {
      flag.raiseAndLower()
      ticks.signal()
    }
    timer.resume()
    ticks.wait()
    timer.cancel()
    return !flag.hasOverlapped
  },
  Body("two-timers-overlap") {
    let (flag, ticks) = (OverlapFlag(), DispatchSemaphore(value: 0))
    let timers = (0..<2).map { _ in DispatchSource.makeTimerSource(queue: .global()) }
    for timer in timers {
      timer.schedule(deadline: .now())
      timer.setEventHandler {
        flag.raiseAndLower()
        ticks.signal()
      }
      timer.resume()
    }
    for _ in 0..<2 { ticks.wait() }
    for timer in timers { timer.cancel() }
    return !flag.hasOverlapped
  },
  Body("timer-cancel-overlap") {
    let (flag, cancelled) = (OverlapFlag(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now())
    timer.setEventHandler { flag.raiseAndLower() }
    timer.setCancelHandler {
      flag.raiseAndLower()
      cancelled.signal()
    }
    timer.resume()
    timer.cancel()
    cancelled.wait()
    return !flag.hasOverlapped
  },
  Body("timer-cancel-in-queue") {
    // The timer is in its queue before or behind the block, is cancelled there or in its handler,
    // or has not fired.
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1)
    order.timer.resume()
    order.addBlock()
    order.timer.cancel()
    return order.noteOnceBothRan()
  },
  Body("timer-cancel-before-block") {
    // libdispatch removes a timer that has not fired on a thread of its own, so the block may come
    // first.
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1)
    order.timer.resume()
    order.timer.cancel()
    order.addBlock()
    return order.noteOnceBothRan()
  },
  Body("repeating-timer-cancel-before-block") {
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1, repeating: 1)
    order.timer.resume()
    order.timer.cancel()
    order.addBlock()
    return order.noteOnceBothRan()
  },
  Body("unset-timer-cancel-before-block") {
    let order = TimerOrder()
    order.timer.schedule(deadline: .distantFuture)
    order.timer.resume()
    order.timer.cancel()
    order.addBlock()
    return order.noteOnceBothRan()
  },
  Body("timer-cancel-before-activation") {
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1)
    order.timer.cancel()
    order.queue.sync { order.trail.append("A") }
    order.timer.activate()
    order.addBlock()
    return order.noteOnceBothRan()
  },
  Body("timer-behind-block") {
    // The timer may fire again before the first handler adds the block, and comes behind the block.
    let queue = DispatchQueue(label: "timer")
    let (trail, done) = (Trail(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: 1)
    timer.setEventHandler {
      trail.append("h")
      switch trail.text {
      case "h": queue.async { trail.append("B") }
      default: done.signal()
      }
    }
    timer.resume()
    done.wait()
    timer.cancel()
    return trail.text.hasPrefix("hBh")
  },
  Body("timer-with-slow-handler") {
    // With exact times: the times that pass while the first handler sleeps are one event.
    let begin = DispatchTime.now().uptimeNanoseconds
    let (trail, done) = (Trail(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
    timer.schedule(deadline: .now(), repeating: 1)
    timer.setEventHandler {
      trail.append("\((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000_000),")
      switch trail.text {
      case "0,": Thread.sleep(forTimeInterval: 10)
      case "0,10,11,12,": done.signal()
      default: break
      }
    }
    timer.resume()
    done.wait()
    timer.cancel()
    return true
  },
  Body("timer-suspended") {
    // The queue's own block suspends the timer, which may have fired.
    let queue = DispatchQueue(label: "timer")
    let (lock, ticked) = (NSLock(), DispatchSemaphore(value: 0))
    let (isSuspended, isEarly) = (Shared(false), Shared(false))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now())
    timer.setEventHandler {
      if isSuspended.value { isEarly.value = true }
      ticked.signal()
    }
    timer.resume()
    queue.sync {
      lock.withLock {}
      timer.suspend()
      isSuspended.value = true
    }
    queue.sync {
      isSuspended.value = false
      timer.resume()
    }
    ticked.wait()
    timer.cancel()
    return !isEarly.value
  },
  Body("timer-suspended-between-blocks") {
    let queue = DispatchQueue(label: "timer")
    let (trail, ticked) = (Trail(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now())
    timer.setEventHandler {
      trail.append("h")
      ticked.signal()
    }
    timer.resume()
    queue.sync { trail.append("L") }
    timer.suspend()
    queue.sync { trail.append("S") }
    timer.resume()
    ticked.wait()
    timer.cancel()
    Outcomes.note(trail.text)
    return true
  },
  Body("timer-cancelled-while-suspended") {
    // A handler begins before the resume only in a turn that has begun before the suspension.
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1)
    order.timer.resume()
    order.addBlock()
    order.timer.suspend()
    order.timer.cancel()
    order.queue.sync { order.trail.append("x") }
    order.timer.resume()
    return order.noteOnceBothRan()
  },
  Body("timer-resumed-and-cancelled") {
    let order = TimerOrder()
    order.timer.schedule(deadline: .now() + 1)
    order.timer.resume()
    order.timer.suspend()
    order.queue.sync { order.trail.append("x") }
    runThreads(
      {
        order.timer.resume()
        order.addBlock()
      },
      { order.timer.cancel() })
    return order.noteOnceBothRan()
  },
  Body("timer-handler-replaced") {
    // The timer may call its first handler, and be in it when the body sets the second one.
    let (trail, done) = (Trail(), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now())
    for number in ["1", "2"] {
      timer.setEventHandler {
        trail.append(number)
        done.signal()
      }
      timer.activate()
    }
    done.wait()
    timer.cancel()
    Outcomes.note(trail.text)
    return true
  },
  Body("timer-set-again") {
    // A new time drops an event whose handler has not begun.
    let queue = DispatchQueue(label: "timer")
    let trail = Trail()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now())
    timer.setEventHandler { trail.append("h") }
    timer.resume()
    queue.sync {
      trail.append("S")
      timer.schedule(deadline: .distantFuture)
    }
    queue.sync {}
    timer.cancel()
    Outcomes.note(trail.text)
    return true
  },
]

/// Shows whether two calls of `raiseAndLower` overlap.
private final class OverlapFlag: @unchecked Sendable {
  // Unchecked: the lock protects both values; the body reads `hasOverlapped` alone.
  private let lock = NSLock()
  private var isRaised = false
  private(set) var hasOverlapped = false

  func raiseAndLower() {
    lock.withLock {
      if isRaised { hasOverlapped = true }
      isRaised = true
    }
    lock.withLock { isRaised = false }
  }
}

/// A timer whose handlers append `h`, once, and `c`, and a block of its queue that appends `B`.
private final class TimerOrder: Sendable {
  let queue = DispatchQueue(label: "timer")
  let trail = Trail()
  // Unsafe: every thread may call a source.
  nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let done = DispatchSemaphore(value: 0)

  init() {
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [trail] in
      if !trail.text.contains("h") { trail.append("h") }
    }
    timer.setCancelHandler { [trail, done] in
      trail.append("c")
      done.signal()
    }
  }

  func addBlock() {
    queue.async { [trail, done] in
      trail.append("B")
      done.signal()
    }
  }

  /// Notes the order as an outcome, once the block and the cancel handler have run.
  func noteOnceBothRan() -> Bool {
    for _ in 0..<2 { done.wait() }
    Outcomes.note(trail.text)
    return true
  }
}
