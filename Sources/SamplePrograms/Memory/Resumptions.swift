import Foundation
import Programs

/// Continuations and streams.
let resumePrograms: [Program] = [
  Program(
    "unmarked-resumed-before-write", "a thread resumes a continuation before it writes", .races,
    twin: "it writes first",
    wrong: {
      let counter = Counter()
      let written = DispatchSemaphore(value: 0)
      inTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            continuation.resume()
            letTimePass()
            counter.value = 1
            written.signal()
          }
        }
        use(counter.value)
      }
      written.wait()
    },
    right: {
      let counter = Counter()
      inTask {
        for number in 0..<20 {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              counter.value = number
              continuation.resume()
            }
          }
          use(counter.value)
        }
      }
    }),
  Program(
    "unsafe-continuation", "a queue resumes a continuation and then writes", .races,
    twin: "it writes first",
    wrong: {
      let counter = Counter()
      let queue = DispatchQueue(label: "resumes")
      inTask {
        await withUnsafeContinuation { continuation in
          queue.async {
            continuation.resume()
            letTimePass()
            counter.value = 1
          }
        }
        use(counter.value)
      }
      queue.sync {}
    },
    right: {
      let counter = Counter()
      let queue = DispatchQueue(label: "resumes")
      inTask {
        for number in 0..<20 {
          use(
            await withUnsafeContinuation { continuation in
              queue.async {
                counter.value = number
                continuation.resume(returning: number)
              }
            })
          use(counter.value)
        }
      }
    }),
  Program(
    "yielded-before-write", "a task yields an element of a stream before it writes", .races,
    twin: "it writes first",
    wrong: {
      let counter = Counter()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      inTwoTasks {
        for await _ in stream { use(counter.value) }
      } then: {
        continuation.yield(1)
        letTimePass()
        counter.value = 1
        continuation.finish()
      }
    },
    right: {
      let counter = Counter()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      inTwoTasks {
        for await _ in stream { use(counter.value) }
      } then: {
        counter.value = 1
        continuation.yield(1)
        continuation.finish()
      }
    }),
  Program("resumed-at-once", "a continuation is resumed before its task waits", .passes) {
    let counter = Counter()
    let lock = NSLock()
    inTask {
      for _ in 0..<20 {
        await withCheckedContinuation { continuation in
          let other = Joined {
            lock.withLock { counter.add(1) }
            continuation.resume()
          }
          other.join()
        }
        counter.add(1)
      }
    }
  },
  Program("objects-in-a-stream", "a task changes objects that it gets from a stream", .passes) {
    let (stream, continuation) = AsyncStream.makeStream(of: Counter.self)
    inTwoTasks {
      for await counter in stream { counter.add(1) }
    } then: {
      for number in 0..<50 {
        let counter = Counter()
        counter.value = number
        continuation.yield(counter)
      }
      continuation.finish()
    }
  },
  Program("buffered-stream", "a task reads what a finished stream has buffered", .passes) {
    let (stream, continuation) = AsyncStream.makeStream(of: Counter.self)
    Joined {
      for number in 0..<20 {
        let counter = Counter()
        counter.value = number
        continuation.yield(counter)
      }
      continuation.finish()
    }.join()
    inTask { for await counter in stream { use(counter.value) } }
  },
  Program("stream-of-steps", "a stream's closure makes what the loop changes", .passes) {
    inTask {
      let made = Counter()
      let stream = AsyncStream {
        made.add(1)
        return made.value < 20 ? made : nil
      }
      for await counter in stream { counter.add(1) }
    }
  },
  Program("mapped-stream", "a task reads what a mapped stream's closure changes", .passes) {
    let (stream, continuation) = AsyncStream.makeStream(of: Counter.self)
    inTwoTasks {
      for await number in stream.map({ counter in
        counter.add(1)
        return counter.value
      }) { use(number) }
    } then: {
      for _ in 0..<20 { continuation.yield(Counter()) }
      continuation.finish()
    }
  },
]
