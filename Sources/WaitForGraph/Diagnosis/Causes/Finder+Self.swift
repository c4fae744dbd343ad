import Interlock

extension Finder {
  /// A call on a queue that its thread is on already, which was reported before it is made.
  static func ownCall(_ own: WaitSnapshot.SelfWait, _ index: WaitIndex) -> Finding {
    let words = Wording(index: index)
    let thread = index.threadAt[own.thread].map(words.thread) ?? "thread \(own.thread)"
    var result: Finding
    if own.kind == .queue {
      let queue = words.quotedQueue(own.object)
      result = Finding(
        cause: .self, headline: "\(thread) waits for \(queue), the queue that it is on")
      result.details = callLines(own.place, own.firstPlace)
      if own.traps {
        result.details.append("libdispatch ends the process there, on Linux without a word")
      }
      result.advice = [Self.ownQueueAdvice]
    } else {
      result = Finding(
        cause: .self,
        headline:
          "\(thread) waits for \(words.object(own.kind, own.object)), which it already holds")
      if let place = Wording.place(own.place) {
        result.details = ["acquires it again at \(place)"]
      }
      if let place = Wording.place(own.firstPlace) {
        result.details.append("holds it since \(place)")
      }
      if own.traps {
        let who = own.kind == .initializer ? "libdispatch" : "the runtime"
        result.details.append("\(who) ends the process there")
      }
      result.advice = [own.kind == .initializer ? Self.ownVariableAdvice : Self.ownLockAdvice]
    }
    if let number = index.threadAt[own.thread] { result.markedThreads = [number] }
    result.markedObjects = [own.object]
    return result
  }

  private static let ownLockAdvice =
    "safe when: code that has the lock already calls what needs no lock"

  private static let ownVariableAdvice =
    "safe when: what the initialiser calls does not use the variable that it is for"

  private static let ownQueueAdvice =
    "safe when: code that is on the queue already calls the work directly, not with sync"

  private static func callLines(_ place: [StackFrame], _ first: [StackFrame]) -> [String] {
    var lines: [String] = []
    if let place = Wording.place(place) { lines.append("enters it again at \(place)") }
    if let place = Wording.place(first) { lines.append("entered it at \(place)") }
    return lines
  }

  private static func waitLine(_ place: [StackFrame]) -> [String] {
    Wording.place(place).map { ["waits at \($0)"] } ?? []
  }

  /// A thread that waits for what it holds itself.
  var selfWait: Finding? {
    for thread in liveness.stuck {
      let gates = Ring.gates(of: thread, liveness, .semaphores)
      guard let gate = gates.first(where: { WaitIndex.contains(thread, in: $0.1) })?.0,
        let wait = index.threads[thread].wait
      else { continue }
      return finding(of: thread, gate, wait)
    }
    return nil
  }

  private func finding(
    of thread: Int, _ gate: Need.Gate, _ wait: WaitSnapshot.Wait
  ) -> Finding {
    let found = index.threads[thread]
    let who = words.thread(thread)
    var result: Finding
    switch gate {
    case .queue(let queue), .runners(let queue):
      let run = found.runs.last { isBelow($0.queue, queue) }
      let isOnIt = run?.queue == wait.object || isBelow(wait.object, run?.queue ?? 0)
      let name = words.quotedQueue(wait.object)
      let kind =
        isOnIt && run?.queue == wait.object
        ? "the queue that it is on"
        : "a queue on the same thread as \(words.quotedQueue(run?.queue ?? queue)), which it is on"
      result = finding(.self, "\(who) waits for \(name), \(kind)")
      result.details = Self.callLines(wait.place, run?.place ?? [])
      if case .runners = gate {
        result.details.append(
          "the call is a barrier: it waits until no other block runs on the queue")
      }
      result.advice = [Self.ownQueueAdvice]
    case .main:
      result = finding(.self, "\(who) waits for the main queue, which only it runs")
      result.details = Self.waitLine(wait.place)
      result.advice = [Self.ownQueueAdvice]
    case .workItem, .members:
      let run = found.runs.last { $0.workItem == wait.object || $0.group == wait.object }
      let what = run?.workItem == wait.object ? "the work item" : "a block of the group"
      result = finding(
        .self,
        "\(who) waits for \(words.object(wait.kind, wait.object)), and is in \(what) itself")
      result.details = Self.waitLine(wait.place)
      if let place = Wording.place(run?.place ?? []) {
        result.details.append("its block was enqueued at \(place)")
      }
      result.advice = ["safe when: the thread that waits is not one of those that it waits for"]
    case .end:
      result = finding(.self, "\(who) waits for its own end")
      result.details = Self.waitLine(wait.place)
    default:
      let held = found.held.last { $0.object == wait.object }
      let name = words.object(wait.kind, wait.object)
      result = finding(.self, "\(who) waits for \(name), which it already holds")
      if let place = Wording.place(wait.place) {
        result.details.append("acquires it again at \(place)")
      }
      if let place = held.flatMap({ Wording.place($0.place) }) {
        result.details.append("holds it since \(place)")
      }
      result.advice = [wait.kind == .initializer ? Self.ownVariableAdvice : Self.ownLockAdvice]
    }
    result.markedThreads = [thread]
    result.markedObjects = [wait.object]
    return result
  }
}
