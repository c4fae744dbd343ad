import Programs

/// Asynchronous streams.
let streamPrograms: [Program] = [
  Program(
    "finished-before-the-last-yield", "one of two producers finishes their stream",
    .failsInSomeOrder(.violation), twin: "the stream is finished after both producers have ended"
  ) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let sum = inTask {
      async let producing: Void = inTasks(
        { continuation.yield(1) },
        {
          continuation.yield(2)
          continuation.finish()
        })
      var sum = 0
      for await value in stream { sum += value }
      await producing
      return sum
    }
    try expect(sum == 3, "the sum of 1 and 2 is \(sum)")
  } right: {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let sum = inTask {
      async let producing: Void = {
        await inTasks({ continuation.yield(1) }, { continuation.yield(2) })
        continuation.finish()
      }()
      var sum = 0
      for await value in stream { sum += value }
      await producing
      return sum
    }
    try expect(sum == 3, "the sum of 1 and 2 is \(sum)")
  },

  Program(
    "dropped-by-a-small-buffer", "a stream that keeps the newest element loses one of two",
    .failsInSomeOrder(.violation), twin: "the stream keeps all elements"
  ) {
    let sum = inTask { await sumOfTwo(.bufferingNewest(1)) }
    try expect(sum == 3, "the sum of 1 and 2 is \(sum)")
  } right: {
    let sum = inTask { await sumOfTwo(.unbounded) }
    try expect(sum == 3, "the sum of 1 and 2 is \(sum)")
  },

  Program(
    "yielded-after-cancel", "a producer counts what it yields to a consumer that was cancelled",
    .failsInSomeOrder(.violation), twin: "the producer counts what the stream has taken"
  ) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let (sent, received) = (Guarded(0), Guarded(0))
    inTask {
      let consumer = Task { for await _ in stream { received.update { $0 += 1 } } }
      let producer = Task {
        continuation.yield(1)
        sent.update { $0 += 1 }
      }
      consumer.cancel()
      await producer.value
      await consumer.value
    }
    try expect(sent.value == received.value, "\(sent.value) sent, \(received.value) received")
  } right: {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let (sent, received) = (Guarded(0), Guarded(0))
    inTask {
      let consumer = Task { for await _ in stream { received.update { $0 += 1 } } }
      let producer = Task {
        if case .enqueued = continuation.yield(1) { sent.update { $0 += 1 } }
      }
      consumer.cancel()
      await producer.value
      await consumer.value
    }
    try expect(sent.value == received.value, "\(sent.value) sent, \(received.value) received")
  },
]

/// Yields 1 and 2 in a task, and adds what arrives in another.
private func sumOfTwo(
  _ policy: AsyncStream<Int>.Continuation.BufferingPolicy
) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: policy)
  let producer = Task {
    continuation.yield(1)
    continuation.yield(2)
    continuation.finish()
  }
  var sum = 0
  for await value in stream { sum += value }
  await producer.value
  return sum
}
