import Dispatch
import Foundation
import Programs

/// Starts, stops and initialisation.
let lifecyclePrograms: [Program] = [
  Program(
    "started-twice", "two calls of start() find the service stopped, and both start it",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock finds the service stopped and marks it as started"
  ) {
    let (isRunning, starts) = (Guarded(false), Guarded(0))
    let start = { @Sendable in
      if isRunning.value { return }
      starts.update { $0 += 1 }
      isRunning.set(true)
    }
    together(start, start)
    try expect(starts.value == 1, "the service was started \(starts.value) times")
  } right: {
    let (isRunning, starts) = (Guarded(false), Guarded(0))
    let start = { @Sendable in
      let mustStart = isRunning.update { isRunning in
        defer { isRunning = true }
        return !isRunning
      }
      if mustStart { starts.update { $0 += 1 } }
    }
    together(start, start)
    try expect(starts.value == 1, "the service was started \(starts.value) times")
  },

  Program(
    "stopped-while-starting", "stop() is called while start() opens the connection",
    .failsInSomeOrder(.violation),
    twin: "start() looks at the state again when the connection is open"
  ) {
    let state = Guarded("idle")
    together(
      {
        guard state.value == "idle" else { return }
        // Opens a connection here.
        state.set("running")
      }, { state.set("stopped") })
    try expect(state.value == "stopped", "the service is \(state.value) after it was stopped")
  } right: {
    let state = Guarded("idle")
    together(
      {
        guard state.value == "idle" else { return }
        state.update { if $0 == "idle" { $0 = "running" } }
      }, { state.set("stopped") })
    try expect(state.value == "stopped", "the service is \(state.value) after it was stopped")
  },

  Program(
    "submitted-after-drain", "a job is added after the shutdown has drained the queue",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock checks that the queue is open and adds the job"
  ) {
    let (isClosed, jobs, done) = (Guarded(false), Guarded([Int]()), Guarded([Int]()))
    let accepted = Guarded(false)
    together(
      {
        guard !isClosed.value else { return }
        jobs.update { $0.append(1) }
        accepted.set(true)
      },
      {
        isClosed.set(true)
        let rest = jobs.update { jobs in
          defer { jobs = [] }
          return jobs
        }
        done.update { $0 += rest }
      })
    try expect(done.value.count == (accepted.value ? 1 : 0), "an accepted job was not done")
  } right: {
    let queue = Guarded((isClosed: false, jobs: [Int]()))
    let (accepted, done) = (Guarded(false), Guarded([Int]()))
    together(
      {
        accepted.set(
          queue.update { queue in
            if !queue.isClosed { queue.jobs.append(1) }
            return !queue.isClosed
          })
      },
      {
        let rest = queue.update { queue in
          queue.isClosed = true
          return queue.jobs
        }
        done.update { $0 += rest }
      })
    try expect(done.value.count == (accepted.value ? 1 : 0), "an accepted job was not done")
  },

  Program(
    "thread-before-its-name", "a new thread reads the field that its creator sets after the start",
    .failsInSomeOrder(.violation), twin: "the creator sets the field before it starts the thread",
    source: "Mozilla, nsThread: the new thread reads mThread before it is assigned (ASPLOS 2008)"
  ) {
    let (name, seen) = (Guarded<String?>(nil), Guarded<String?>(nil))
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      seen.set(name.value)
      ended.signal()
    }
    name.set("worker")
    ended.wait()
    try expect(seen.value == "worker", "the thread has read its name before it was set")
  } right: {
    let (name, seen) = (Guarded<String?>(nil), Guarded<String?>(nil))
    let ended = DispatchSemaphore(value: 0)
    name.set("worker")
    Thread.detachNewThread {
      seen.set(name.value)
      ended.signal()
    }
    ended.wait()
    try expect(seen.value == "worker", "the thread has read its name before it was set")
  },

  Program(
    "published-before-filled", "a shared instance is published, then configured",
    .failsInSomeOrder(.violation),
    twin: "the instance is configured, then published"
  ) {
    let shared = Guarded<Client?>(nil)
    let seen = Guarded<String?>("")
    together(
      {
        let client = Client()
        shared.set(client)
        client.address.set("localhost")
      }, { if let client = shared.value { seen.set(client.address.value) } })
    try expect(seen.value != nil, "a client without an address was used")
  } right: {
    let shared = Guarded<Client?>(nil)
    let seen = Guarded<String?>("")
    together(
      {
        let client = Client()
        client.address.set("localhost")
        shared.set(client)
      }, { if let client = shared.value { seen.set(client.address.value) } })
    try expect(seen.value != nil, "a client without an address was used")
  },

  Program(
    "ended-before-the-last-item",
    "a consumer finds no item, then finds that the producer has ended",
    .failsInSomeOrder(.violation),
    twin: "one hold of the lock looks for an item and for the end"
  ) {
    let (items, hasEnded, taken) = (Guarded([Int]()), Guarded(false), Guarded(0))
    together(
      {
        items.update { $0.append(1) }
        hasEnded.set(true)
      },
      {
        if let item = items.update({ $0.popLast() }) { return taken.set(item) }
        if hasEnded.value { return }
        // The producer has not ended: the consumer will look again later, and find the item.
        taken.set(1)
      })
    try expect(taken.value == 1, "the last item was left")
  } right: {
    let (queue, taken) = (Guarded((items: [Int](), hasEnded: false)), Guarded(0))
    together(
      {
        queue.update { $0.items.append(1) }
        queue.update { $0.hasEnded = true }
      },
      {
        let (item, hasEnded) = queue.update { ($0.items.popLast(), $0.hasEnded) }
        if let item { return taken.set(item) }
        if hasEnded { return }
        taken.set(1)
      })
    try expect(taken.value == 1, "the last item was left")
  },
]

private final class Client: Sendable {
  let address = Guarded<String?>(nil)
}
