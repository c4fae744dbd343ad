import Foundation
import Programs

/// Tasks that wait for a late event, and continue.
let correctTaskWaitPrograms: [Program] = [
  Program(
    "task-sleeps", "a thread waits for a task that sleeps for a second", .passes,
    source: "A suspended task that a clock resumes", taskSleeps),
  Program(
    "continuation-resumed-late", "a task's continuation is resumed by a thread, after a second",
    .passes, source: "A suspended task that a sleeping thread resumes",
    continuationResumedLate),
  Program(
    "stream-yields-late", "a loop over an AsyncStream that gets an element after a second", .passes,
    source: "SE-0314: the loop waits for the next element",
    streamYieldsLate),
]

private func taskSleeps() {
  let woken = DispatchSemaphore(value: 0)
  Task.detached {
    try? await Task.sleep(for: .seconds(1))
    woken.signal()
  }
  woken.wait()
}

private func continuationResumedLate() {
  let answered = DispatchSemaphore(value: 0)
  Task.detached {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 1)
        continuation.resume()
      }
    }
    answered.signal()
  }
  answered.wait()
}

private func streamYieldsLate() {
  let (lines, writer) = AsyncStream.makeStream(of: String.self)
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 1)
    writer.yield("line")
    writer.finish()
  }
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    for await _ in lines {}
    finished.signal()
  }
  finished.wait()
}
