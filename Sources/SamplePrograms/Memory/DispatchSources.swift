import Foundation
import Programs

/// Handlers of sources and of asynchronous I/O, which run on a queue.
let dispatchSourcePrograms: [Program] = [
  Program(
    "unmarked-timer-source", "a timer counts on a queue, and a thread reads beside the queue",
    .races, twin: "it reads on the queue",
    wrong: {
      let counter = Counter()
      let hasCounted = Signpost()
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
      timer.setEventHandler {
        counter.add(1)
        hasCounted.set()
      }
      timer.schedule(deadline: .now())
      timer.activate()
      hasCounted.wait()
      use(counter.value)
      timer.cancel()
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "timer")
      let done = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        counter.add(1)
        if counter.value == 3 { done.signal() }
      }
      timer.setCancelHandler {
        counter.add(1)
        done.signal()
      }
      timer.schedule(deadline: .now(), repeating: .milliseconds(2))
      timer.activate()
      done.wait()
      use(queue.sync { counter.value })
      timer.cancel()
      done.wait()
      use(counter.value)
    }),
  Program(
    "read-source", "the handler of a pipe's source writes, and a thread does not wait for it",
    .races, twin: "the handler signals a semaphore",
    wrong: {
      let counter = Counter()
      let hasRead = Signpost()
      let source = followPipe {
        counter.value = $0
        hasRead.set()
      }
      hasRead.wait()
      use(counter.value)
      source.cancel()
    },
    right: {
      let counter = Counter()
      let done = DispatchSemaphore(value: 0)
      let source = followPipe {
        counter.value = $0
        done.signal()
      }
      done.wait()
      use(counter.value)
      source.cancel()
    }),
  Program(
    "dispatch-read", "the handler of an asynchronous read writes, and no thread waits for it",
    .races, twin: "it waits for the handler's queue",
    wrong: {
      let counter = Counter()
      let hasRead = Signpost()
      let file = open("/dev/zero", O_RDONLY)
      DispatchIO.read(fromFileDescriptor: file, maxLength: 8, runningHandlerOn: .global()) {
        data, _ in
        counter.value = data.count
        hasRead.set()
      }
      hasRead.wait()
      use(counter.value)
      close(file)
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "reads")
      let done = DispatchSemaphore(value: 0)
      let file = open("/dev/zero", O_RDONLY)
      let channel = DispatchIO(type: .stream, fileDescriptor: file, queue: queue) { _ in
        close(file)
        done.signal()
      }
      channel.read(offset: 0, length: 8, queue: queue) { _, data, _ in
        counter.value = data?.count ?? 0
      }
      channel.close()
      done.wait()
      use(queue.sync { counter.value })
    }),
]

/// Reads a byte of a pipe on a queue, when there is one.
private func followPipe(
  _ handle: @escaping @Sendable (Int) -> Void
) -> any DispatchSourceRead {
  var ends: [Int32] = [0, 0]
  pipe(&ends)
  let (reading, writing) = (ends[0], ends[1])
  let source = DispatchSource.makeReadSource(
    fileDescriptor: reading, queue: DispatchQueue(label: "pipe"))
  source.setEventHandler {
    var byte: UInt8 = 0
    if read(reading, &byte, 1) == 1 { handle(Int(byte)) }
  }
  source.setCancelHandler {
    close(reading)
    close(writing)
  }
  // Write before the handler can run: a write to a pipe may have waited for room, so detectors
  // order it after every thread that may have made that room.
  write(writing, [7], 1)
  source.activate()
  return source
}
