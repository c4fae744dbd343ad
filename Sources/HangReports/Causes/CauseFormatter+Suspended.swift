import Hangs

extension CauseFormatter {
  func suspendedQueue(
    _ id: WaitIndex.ObjectID, _ queued: Int, _ calls: Int, _ others: [Diagnosis.Party]
  ) -> Lines {
    let waiting = [
      queued > 0 ? Counted.noun(queued, "block") : nil,
      calls > 0 ? Counted.noun(calls, "synchronous call") : nil,
    ].compactMap { $0 }.joined(separator: " and ")
    let blocks = index.queueAt[id].map { index.queues[$0].blocks } ?? []
    return (
      "\(names.queue(id)) is suspended, and no thread can resume it: "
        + "\(waiting) \(queued + calls == 1 ? "waits" : "wait") on it",
      blocks.prefix(4).compactMap { blocks in
        PlaceText.place(blocks.place).map {
          "\(Counted.noun(blocks.count, "block")) enqueued at \($0)"
        }
      } + waitLines(others)
    )
  }

  func suspendedTasks(
    _ kind: WaitSnapshot.ObjectKind, _ ids: [WaitIndex.ObjectID], _ others: [Diagnosis.Party]
  ) -> Lines {
    let forWhat =
      switch (kind, ids.count) {
      case (.stream, 1): "for an AsyncStream's next element, which no thread can yield"
      case (.stream, _): "for the next elements of AsyncStreams, which no thread can yield"
      case (_, 1): "for a continuation that was never resumed"
      default: "for continuations that were never resumed"
      }
    let tasks =
      ids.count == 1
      ? "a task waits" + PlaceText.at(signals(ids, kind).first?.created ?? [])
      : "\(Counted.number(ids.count)) tasks wait"
    return (
      "\(tasks) \(forWhat), and no thread can run",
      (ids.count > 1 ? taskLines(ids, kind) : []) + waitLines(others)
    )
  }

  /// The places where tasks wait for signals, with the number of tasks at each.
  func taskLines(
    _ ids: [WaitIndex.ObjectID], _ kind: WaitSnapshot.ObjectKind, _ forWhat: String = ""
  ) -> [String] {
    Self.counted(signals(ids, kind).compactMap { PlaceText.place($0.created) }).map {
      "\(Counted.noun($0.count, "task")) \($0.count == 1 ? "waits" : "wait")\(forWhat)"
        + " at \($0.text)"
    }
  }

  private func signals(
    _ ids: [WaitIndex.ObjectID], _ kind: WaitSnapshot.ObjectKind
  ) -> [WaitSnapshot.Signal] {
    let wanted = Set(ids)
    return index.snapshot.signals.filter {
      $0.isWaitingTask && $0.kind == kind && wanted.contains($0.id)
    }
  }
}
