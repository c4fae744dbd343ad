import Dispatch
import Foundation

/// Sources of user data, and sources of the system's events.
let dataSourceBodies = [
  Body("data-source-signals") {
    let done = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    source.setEventHandler { done.signal() }
    source.resume()
    source.add(data: 1)
    done.wait()
    source.cancel()
    return true
  },
  Body("data-source-adds") {
    // The handler gets both numbers at once, or one after the other.
    let (trail, done) = (Trail(), DispatchSemaphore(value: 0))
    nonisolated(unsafe) let source = DispatchSource.makeUserDataAddSource(
      queue: DispatchQueue(label: "source"))
    let sum = Shared(0)
    source.setEventHandler {
      let data = Int(source.data)
      trail.append(data)
      sum.value += data
      if sum.value == 3 { done.signal() }
    }
    source.activate()
    runThreads({ source.add(data: 1) }, { source.add(data: 2) })
    done.wait()
    source.cancel()
    Outcomes.note(trail.text)
    return true
  },
  Body("data-source-ors") {
    let (trail, queue) = (Trail(), DispatchQueue(label: "source"))
    nonisolated(unsafe) let source = DispatchSource.makeUserDataOrSource(queue: queue)
    source.setEventHandler { trail.append(source.data) }
    source.activate()
    for data in [1, 3] as [UInt] { source.or(data: data) }
    queue.sync {}
    source.cancel()
    queue.sync {}
    Outcomes.note(trail.text)
    return true
  },
  Body("data-source-replaces") {
    let (trail, queue) = (Trail(), DispatchQueue(label: "source"))
    nonisolated(unsafe) let source = DispatchSource.makeUserDataReplaceSource(queue: queue)
    source.setEventHandler { trail.append(source.data) }
    source.activate()
    for data in [1, 2] as [UInt] { source.replace(data: data) }
    queue.sync {}
    source.cancel()
    queue.sync {}
    Outcomes.note(trail.text)
    return true
  },
  Body("data-source-without-data") {
    let (trail, queue) = (Trail(), DispatchQueue(label: "source"))
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler { trail.append("h") }
    source.activate()
    source.add(data: 0)
    queue.sync {}
    source.cancel()
    queue.sync {}
    return trail.text == ""
  },
  Body("data-source-suspended") {
    // The data wait for the first resume.
    let (trail, queue) = (Trail(), DispatchQueue(label: "source"))
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler { trail.append("h") }
    source.add(data: 1)
    queue.sync { trail.append("S") }
    source.resume()
    queue.sync { trail.append("R") }
    source.cancel()
    return trail.text == "ShR"
  },
  Body("data-source-cancelled") {
    // The data come before the cancellation, and the handler only if it has begun by then.
    let (trail, queue) = (Trail(), DispatchQueue(label: "source"))
    let done = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler { trail.append("h") }
    source.setCancelHandler {
      trail.append("c")
      done.signal()
    }
    source.activate()
    source.add(data: 1)
    source.cancel()
    source.add(data: 1)
    queue.async { trail.append("B") }
    done.wait()
    queue.sync {}
    Outcomes.note(trail.text)
    return true
  },
  Body("data-source-handlers-overlap") {
    let count = Shared(0)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let source = DispatchSource.makeUserDataAddSource(queue: .global())
    let (lock, isWrong) = (NSLock(), Shared(false))
    source.setEventHandler {
      let old = lock.withLock { count.value }
      lock.withLock {
        if count.value != old { isWrong.value = true }
        count.value += Int(source.data)
      }
      if count.value == 2 { done.signal() }
    }
    source.activate()
    runThreads({ source.add(data: 1) }, { source.add(data: 1) })
    done.wait()
    source.cancel()
    return !isWrong.value
  },
  Body("data-source-never-resumed") {
    let done = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    source.setEventHandler { done.signal() }
    source.add(data: 1)
    done.wait()
    source.cancel()
    return true
  },
  Body("over-resumed-data-source") {
    let source = DispatchSource.makeUserDataAddSource(queue: .global())
    for _ in 0..<2 { source.resume() }
    source.cancel()
    return true
  },
  Body("read-source") {
    let pipe = Pipe()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global())
    source.setEventHandler {}
    source.resume()
    source.suspend()
    source.resume()
    source.cancel()
    return true
  },
  Body("read-source-signals") {
    // No order controls the handler: the signal comes from a thread of libdispatch.
    let (pipe, done) = (Pipe(), DispatchSemaphore(value: 0))
    let source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global())
    source.setEventHandler { done.signal() }
    source.resume()
    pipe.fileHandleForWriting.write(Data([1]))
    done.wait()
    source.cancel()
    return true
  },
  Body("read-source-signals-in-time") {
    let (pipe, done) = (Pipe(), DispatchSemaphore(value: 0))
    let source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global())
    source.setEventHandler { done.signal() }
    source.resume()
    pipe.fileHandleForWriting.write(Data([1]))
    _ = done.wait(timeout: .now() + 1)
    source.cancel()
    return true
  },
]
