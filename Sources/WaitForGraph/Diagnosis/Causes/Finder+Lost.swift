import Interlock

extension Finder {
  /// A suspended queue that no thread is left to resume.
  var suspendedQueue: Finding? {
    guard !liveness.isAnythingLive else { return nil }
    let found = index.queues.indices.filter { number in
      let queue = index.queues[number]
      return queue.isSuspended && (queue.queued > 0 || isWaitedFor(number))
    }
    guard let first = found.max(by: { index.queues[$0].queued < index.queues[$1].queued }) else {
      return nil
    }
    let queue = index.queues[first]
    let calls = index.queueWaiters[queue.id]?.count ?? 0
    let waiting = [
      queue.queued > 0 ? Counted.noun(queue.queued, "block") : nil,
      calls > 0 ? Counted.noun(calls, "synchronous call") : nil,
    ].compactMap { $0 }.joined(separator: " and ")
    var result = finding(
      .suspended,
      "\(words.queue(queue.id)) is suspended, and no thread is left to resume it: "
        + "\(waiting) \(queue.queued + calls == 1 ? "waits" : "wait") on it")
    result.details = queue.blocks.prefix(4).compactMap { blocks in
      Wording.place(blocks.place).map { "\(Counted.noun(blocks.count, "block")) enqueued at \($0)" }
    }
    result.details += waitLines(liveness.stuck)
    result.advice = [
      "safe when: every suspend() is followed by a resume() that needs nothing of the queue"
    ]
    result.markedObjects = [queue.id]
    return result
  }

  private func isWaitedFor(_ number: Int) -> Bool {
    index.queueWaiters[index.queues[number].id] != nil
  }

  /// A task that waits for a continuation that was not resumed, or for a stream's next element,
  /// while no thread is left to run.
  ///
  /// A task may listen to a stream as long as the process lives: if a thread waits too, its wait is
  /// the better cause.
  func suspendedTask(_ kind: WaitSnapshot.ObjectKind) -> Finding? {
    guard !liveness.isAnythingLive, index.queues.allSatisfy({ $0.queued == 0 || $0.isSuspended })
    else { return nil }
    let found = waitingTasks(kind)
    guard let first = found.first else { return nil }
    let forWhat =
      switch (first.kind, found.count) {
      case (.stream, 1): "for an AsyncStream's next element, which no thread is left to yield"
      case (.stream, _): "for the next elements of AsyncStreams, which no thread is left to yield"
      case (_, 1): "for a continuation that was never resumed"
      default: "for continuations that were never resumed"
      }
    let who =
      found.count == 1
      ? "a task waits\(Wording.at(first.created))" : "\(Counted.number(found.count)) tasks wait"
    var result = finding(.suspended, "\(who) \(forWhat), and nothing is left to run")
    if found.count > 1 { result.details = taskLines(found) }
    result.details += waitLines(liveness.stuck)
    result.advice = [
      first.kind == .stream
        ? "safe when: every way out of the code that yields to the stream finishes it"
        : "safe when: every way out of the code that was handed the continuation resumes it once"
    ]
    result.markedObjects = Set(found.map(\.id))
    return result
  }

  private func waitingTasks(_ kind: WaitSnapshot.ObjectKind) -> [WaitSnapshot.Signal] {
    index.snapshot.signals.filter { $0.isWaitingTask && $0.kind == kind }.sorted { $0.id < $1.id }
  }

  private func taskLines(_ tasks: [WaitSnapshot.Signal], _ forWhat: String = "") -> [String] {
    Self.counted(tasks.compactMap { Wording.place($0.created) }).map {
      "\(Counted.noun($0.count, "task")) \($0.count == 1 ? "waits" : "wait")\(forWhat)"
        + " at \($0.text)"
    }
  }

  /// Threads that wait for a signal that no thread is left to send; of several, those that no other
  /// stuck thread blocks.
  func lostWakeUp(_ chains: WaitChains) -> Finding? {
    let waiters = liveness.stuck.filter {
      index.threads[$0].wait?.isForSignal ?? false || waitsForForgottenLock($0)
    }
    let innermost = waiters.filter(chains.isInnermost)
    guard let first = mostWaitedFor(innermost.isEmpty ? waiters : innermost),
      let wait = index.threads[first[0]].wait
    else { return nil }
    let what =
      switch wait.kind {
      case .semaphore: "signal the semaphore"
      case .group: "leave the group"
      case .condition: "wake the condition"
      case _ where wait.isForLock: "unlock the \(Wording.name(wait.kind))"
      default: "end the wait for the \(Wording.name(wait.kind))"
      }
    let who =
      first.count == 1
      ? "\(words.thread(first[0])) waits for" : "\(Counted.noun(first.count, "thread")) wait for"
    var result = finding(.lostWakeUp, "no thread is left that could \(what) that \(who)")
    let chain = chainLines(to: first, chains)
    result.details = chain.lines + waitLines(first)
    result.details += wait.isForSignal ? signalLines(wait) : holderLines(wait)
    result.details += waitLines(
      liveness.stuck.filter { !WaitIndex.contains($0, in: first) && !chain.members.contains($0) })
    // Perhaps one of them would have sent it.
    result.details += taskLines(waitingTasks(.stream), " for an AsyncStream's next element")
    result.advice = [advice(for: wait.kind)]
    result.markedThreads = Set(first)
    result.markedObjects = [wait.object]
    return result
  }

  private func advice(for kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .group: "safe when: every way out of the work that entered the group leaves it"
    case .condition:
      "safe when: the waiter checks its condition under the mutex, and a thread that changes "
        + "the condition signals afterwards"
    case .mutex, .swiftMutex, .initializer, .readLock, .writeLock: Self.unlockAdvice
    default: "safe when: every way out of the work that is waited for signals"
    }
  }

  /// What is known of earlier signals.
  private func signalLines(_ wait: WaitSnapshot.Wait) -> [String] {
    guard let signal = index.signals[wait.object] else { return [] }
    var lines: [String] = []
    if let made = Wording.place(signal.created) { lines.append("made at \(made)") }
    let isGroup = wait.kind == .group
    if isGroup {
      lines.append("entered \(times(signal.enters)), left \(times(signal.releases))")
      lines += signal.enterPlaces.prefix(4).compactMap {
        Wording.place([$0]).map { "entered at \($0)" }
      }
    } else if signal.releases == 0 {
      lines.append("nothing has ever signalled it")
    } else {
      lines.append("signalled \(times(signal.releases)), waited for \(times(signal.waits))")
    }
    let verb = isGroup ? "left" : "signalled"
    lines += signal.releasePlaces.prefix(4).compactMap {
      Wording.place([$0]).map { "\(verb) before at \($0)" }
    }
    return lines
  }

  private func times(_ count: Int) -> String { Counted.noun(count, "time") }

  /// Stuck threads grouped by object and place, the largest group first.
  func waitLines(_ threads: [Int]) -> [String] {
    let tasks = Dictionary(grouping: threads, by: index.isTask)
    return Self.limited(
      waitLines(of: tasks[false] ?? [], "thread") + waitLines(of: tasks[true] ?? [], "task"),
      "waits")
  }

  private func waitLines(of threads: [Int], _ noun: String) -> [String] {
    let texts = threads.compactMap { number in
      index.threads[number].wait.map { words.waiting($0) + Wording.at($0.place) }
    }
    let singles = Dictionary(
      zip(texts, threads.filter { index.threads[$0].wait != nil }), uniquingKeysWith: { a, _ in a })
    return Self.counted(texts).map { group in
      if group.count == 1, let thread = singles[group.text] {
        return "\(words.thread(thread)) \(group.text)"
      }
      return "\(Counted.noun(group.count, noun)): each \(group.text)"
    }
  }

  /// Each text once, with its count, the most frequent first.
  static func counted(_ texts: [String]) -> [(text: String, count: Int)] {
    var counts: [String: Int] = [:]
    for text in texts { counts[text, default: 0] += 1 }
    return counts.map { (text: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }
}
