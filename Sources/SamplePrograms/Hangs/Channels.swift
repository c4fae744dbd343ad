import Dispatch
import Foundation
import PredictPrograms
import Programs
import Synchronization

/// A channel without a buffer, used under a lock that its receiver needs.
let channelPrograms: [Program] = [
  Program(
    "channel-send-under-lock",
    "a thread sends to a channel under an NSLock that the receiver takes first", .hangs(.cycle),
    source: "Tu et al., \"Understanding Real-World Concurrency Bugs in Go\", 2019, figure 7",
    channelSendUnderLock),
  Program(
    "semaphore-channel-send-under-lock",
    "a block sends through two semaphores under a mutex that the receiver takes first",
    .hangs(.cycle),
    source: "Tu et al., \"Understanding Real-World Concurrency Bugs in Go\", 2019, figure 7",
    semaphoreChannelSendUnderLock),
  Program(
    "async-channel-send-under-lock",
    "a task sends to a channel of continuations under a mutex that the receiver takes first",
    .hangs(.cycle),
    source: "Tu et al., \"Understanding Real-World Concurrency Bugs in Go\", 2019, figure 7",
    asyncChannelSendUnderLock),
]

/// The correct twins.
let correctChannelPrograms: [Program] = [
  Program(
    "channel-send-before-lock",
    "a thread sends to a channel under an NSLock that the receiver takes a second later", .passes,
    source: "The twin of channel-send-under-lock",
    channelSendBeforeLock),
  Program(
    "async-channel-send-before-lock",
    "a task sends to a channel of continuations under a mutex that the receiver takes later",
    .passes, source: "The twin of async-channel-send-under-lock",
    asyncChannelSendBeforeLock),
]

/// `send` returns once the value is received, as that of a Go channel without a buffer.
private final class Channel: @unchecked Sendable {
  private let changed = NSCondition()
  private var value: Int?

  func send(_ new: Int) {
    changed.withLock {
      value = new
      changed.broadcast()
      while value != nil { changed.wait() }
    }
  }

  func receive() -> Int {
    changed.withLock {
      while true {
        if let value = value.take() {
          changed.broadcast()
          return value
        }
        changed.wait()
      }
    }
  }
}

/// Wrong: the receiver needs the lock before it receives. Tu et al., "Understanding Real-World
/// Concurrency Bugs in Go", 2019, figure 7.
private func channelSendUnderLock() {
  let stock = NSLock()
  let orders = Channel()
  let isLocked = DispatchSemaphore(value: 0)
  let ended = DispatchGroup()
  startThread(in: ended) {
    stock.withLock {
      isLocked.signal()
      orders.send(1)
    }
  }
  startThread(in: ended) {
    isLocked.wait()
    stock.withLock {}
    _ = orders.receive()
  }
  ended.wait()
}

/// Correct: the receiver does not hold up the sender.
private func channelSendBeforeLock() {
  let stock = NSLock()
  let orders = Channel()
  let ended = DispatchGroup()
  startThread(in: ended) {
    stock.withLock { orders.send(1) }
  }
  startThread(in: ended) {
    Thread.sleep(forTimeInterval: 1)
    _ = orders.receive()
    stock.withLock {}
  }
  ended.wait()
}

/// Wrong: as with the channel over a condition.
private func semaphoreChannelSendUnderLock() {
  let stock = PosixMutex()
  let sent = DispatchSemaphore(value: 0)
  let received = DispatchSemaphore(value: 0)
  let isLocked = DispatchSemaphore(value: 0)
  let ended = DispatchSemaphore(value: 0)
  DispatchQueue(label: "orders").async {
    stock.lock()
    isLocked.signal()
    sent.signal()
    received.wait()
    stock.unlock()
    ended.signal()
  }
  Thread.detachNewThread {
    isLocked.wait()
    stock.lock()
    stock.unlock()
    sent.wait()
    received.signal()
    ended.signal()
  }
  for _ in 0..<2 { ended.wait() }
}

/// `send` returns once the value is received, without a blocked thread.
private final class AsyncChannel: Sendable {
  private enum State {
    case empty
    case sends(Int, CheckedContinuation<Void, Never>)
    case receives(CheckedContinuation<Int, Never>)
  }

  private let state = Mutex(State.empty)

  func send(_ value: Int) async {
    await withCheckedContinuation { sender in
      let receiver: CheckedContinuation<Int, Never>? = state.withLock {
        if case .receives(let receiver) = $0 {
          $0 = .empty
          return receiver
        }
        $0 = .sends(value, sender)
        return nil
      }
      guard let receiver else { return }
      receiver.resume(returning: value)
      sender.resume()
    }
  }

  func receive() async -> Int {
    await withCheckedContinuation { receiver in
      let sent: (value: Int, sender: CheckedContinuation<Void, Never>)? = state.withLock {
        if case .sends(let value, let sender) = $0 {
          $0 = .empty
          return (value, sender)
        }
        $0 = .receives(receiver)
        return nil
      }
      guard let sent else { return }
      sent.sender.resume()
      receiver.resume(returning: sent.value)
    }
  }
}

/// Blocks this thread until both tasks have ended.
private func waitFor(
  _ one: @escaping @Sendable () async -> Void, _ other: @escaping @Sendable () async -> Void
) {
  let ended = DispatchGroup()
  for work in [one, other] {
    ended.enter()
    Task.detached {
      await work()
      ended.leave()
    }
  }
  ended.wait()
}

/// Wrong: as with the threads. The mutex is held across an `await`, too.
private func asyncChannelSendUnderLock() {
  let stock = PosixMutex()
  let orders = AsyncChannel()
  let (locked, isLocked) = AsyncStream.makeStream(of: Void.self)
  waitFor(
    {
      stock.lock()
      isLocked.yield()
      await orders.send(1)
      stock.unlock()
    },
    {
      for await _ in locked { break }
      stock.lock()
      stock.unlock()
      _ = await orders.receive()
    })
}

/// Correct, but the mutex is held across an `await`: another thread may unlock it then, which glibc
/// allows.
private func asyncChannelSendBeforeLock() {
  let stock = PosixMutex()
  let orders = AsyncChannel()
  let (locked, isLocked) = AsyncStream.makeStream(of: Void.self)
  waitFor(
    {
      stock.lock()
      isLocked.yield()
      await orders.send(1)
      stock.unlock()
    },
    {
      for await _ in locked { break }
      try? await Task.sleep(for: .seconds(1))
      _ = await orders.receive()
      stock.lock()
      stock.unlock()
    })
}
