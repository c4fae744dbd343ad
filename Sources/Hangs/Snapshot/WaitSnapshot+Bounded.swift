extension WaitSnapshot {
  /// Larger than the number of threads, blocks or calls of any process. Sums of many such counts do
  /// not overflow.
  private static let highestCount = Int(Int32.max)
  /// More seconds than any process runs.
  private static let longest = 1e9

  /// The snapshot with each count and time limited to the bounds of a real process.
  ///
  /// A process that sends its own snapshot may send any numbers. The code that judges and formats
  /// the snapshot adds and rounds them.
  package var bounded: WaitSnapshot {
    var copy = self
    copy.processors = Self.bounded(processors)
    copy.nextTimer = nextTimer.map(Self.bounded)
    copy.quietSeconds = Self.bounded(quietSeconds)
    for index in threads.indices {
      copy.threads[index].wait?.seconds = Self.bounded(threads[index].wait?.seconds ?? 0)
    }
    for (index, queue) in queues.enumerated() {
      copy.queues[index].width = Self.bounded(queue.width)
      copy.queues[index].queued = Self.bounded(queue.queued)
      copy.queues[index].delayed = Self.bounded(queue.delayed)
      copy.queues[index].nextDelayed = queue.nextDelayed.map(Self.bounded)
      copy.queues[index].onGroups = Self.bounded(queue.onGroups)
      for (position, blocks) in queue.blocks.enumerated() {
        copy.queues[index].blocks[position].count = Self.bounded(blocks.count)
        copy.queues[index].blocks[position].ahead = Self.bounded(blocks.ahead)
      }
    }
    for (index, signal) in signals.enumerated() {
      // A semaphore's initial value may be any number. Only its use-up matters.
      copy.signals[index].value = signal.value.map(Self.bounded)
      copy.signals[index].waits = Self.bounded(signal.waits)
      copy.signals[index].releases = Self.bounded(signal.releases)
      copy.signals[index].enters = Self.bounded(signal.enters)
    }
    for (index, row) in activity.enumerated() {
      for (position, span) in row.spans.enumerated() {
        copy.activity[index].spans[position].from = Self.bounded(span.from)
        copy.activity[index].spans[position].to = Self.bounded(span.to)
      }
    }
    return copy
  }

  private static func bounded(_ count: Int) -> Int { min(max(0, count), highestCount) }

  private static func bounded(_ seconds: Double) -> Double { min(max(0, seconds), longest) }
}
