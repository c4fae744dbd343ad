extension GeneratedProgram {
  /// The program as Swift source, for a report.
  var text: String {
    var lines = ["// seed \(seed)"]
    for (number, party) in parties.enumerated() {
      switch party.kind {
      case .thread: lines.append("Thread {  // \(number)")
      case .block: lines.append("DispatchQueue.global().async(group: all) {  // \(number)")
      case .task: lines.append("Task {  // \(number)")
      }
      lines += party.calls.map { "  " + $0.text }
      lines.append("}")
    }
    return lines.joined(separator: "\n")
  }
}

extension Call {
  private static func block(_ calls: [Call]) -> String {
    "{ " + calls.map(\.text).joined(separator: "; ") + " }"
  }

  /// The call as Swift source.
  var text: String {
    switch self {
    case .log(let letter): "lock.withLock { log += \"\(letter)\" }"
    case .tryLog(let letter):
      "if lock.try() { log += \"\(letter)\"; lock.unlock() } else { seen += \"n\" }"
    case .readLog: "seen += lock.withLock { log }"
    case .async(let queue, let calls): "\(queue).async(group: all) \(Self.block(calls))"
    case .asyncBarrier(let calls):
      "concurrent.async(group: all, flags: .barrier) \(Self.block(calls))"
    case .sync(let queue, let calls): "\(queue).sync \(Self.block(calls))"
    case .syncBarrier(let calls): "concurrent.sync(flags: .barrier) \(Self.block(calls))"
    case .append(let letter): "onSerial += \"\(letter)\""
    case .write(let letter): "onConcurrent += \"\(letter)\""
    case .readSerial: "seen += onSerial"
    case .readConcurrent: "seen += onConcurrent"
    case .useSemaphore(let letter):
      "semaphore.wait(); guarded += \"\(letter)\"; semaphore.signal()"
    case .trySemaphore: "if semaphore.wait(timeout: .now()) == .success { …; semaphore.signal() }"
    case .openGate: "gate.signal()"
    case .passGate: "gate.wait(); seen += lock.withLock { log }"
    case .enterGroup(let calls): "group.enter(); global.async \(Self.block(calls)), group.leave()"
    case .waitForGroup: "group.wait(); seen += lock.withLock { log }"
    case .tryGroup: "seen += group.wait(timeout: .now()) == .success ? \"e\" : \"f\""
    case .notifyGroup(let queue, let calls): "group.notify(queue: \(queue)) \(Self.block(calls))"
    case .runItem(let queue): "\(queue).async(execute: item)"
    case .cancelItem: "item.cancel()"
    case .testItem: "seen += item.isCancelled ? \"c\" : \"o\""
    case .waitForItem: "item.wait(); seen += lock.withLock { log }"
    case .notifyItem(let queue, let calls): "item.notify(queue: \(queue)) \(Self.block(calls))"
    case .raise(let toAll):
      "condition.lock(); raised += 1; condition.\(toAll ? "broadcast" : "signal")(); unlock()"
    case .awaitRaised:
      "condition.lock(); while raised == 0 { condition.wait() }; raised -= 1; unlock(); seen += log"
    case .whileSuspended(let queue, let calls):
      "\(queue).suspend(); \(calls.map(\.text).joined(separator: "; ")); \(queue).resume()"
    case .activate: "idle.activate()"
    case .performTwice(let letter):
      "concurrentPerform(iterations: 2) { lock.withLock { log += \"\(letter)\\($0)\" } }"
    case .joinThread(let calls): "Thread \(Self.block(calls)).start(), and join"
    case .sleep(let milliseconds, let letter): "sleep \(milliseconds) ms, then log \(letter)"
    case .after(let queue, let milliseconds, let calls):
      "\(queue).asyncAfter(\(milliseconds) ms) \(Self.block(calls))"
    case .passGateInTime: "gate.wait(timeout: 1 ms)"
    case .awaitRaisedOnce: "if raised == 0 { condition.wait() }"
    case .add(let letter): "seen += await counter.add(\"\(letter)\")"
    case .addAcrossAwait(let letter): "await counter.addAcrossAwait(\"\(letter)\")"
    case .forward(let letter): "seen += await other.forward(\"\(letter)\", to: counter)"
    case .yield: "await Task.yield()"
    case .awaitTask(let letter): "seen += await Task { await counter.add(\"\(letter)\") }.value"
    case .cancelTask:
      "let task = Task { Task.isCancelled }; Task.yield(); task.cancel(); seen += await task.value"
    case .taskGroup(let letter):
      "withTaskGroup: two times addTask { await counter.add(\"\(letter)\") }; seen += each result"
    case .asyncLet(let letter):
      "async let value = counter.add(\"\(letter)\"); await counter.add(\"-\"); seen += await value"
    case .continuation(let queue, let letter):
      "seen += await withContinuation { \(queue).async { log += \"\(letter)\"; resume(log) } }"
    case .cancelSleep(let letter):
      "let task = Task { sleep 1 ms, then log \(letter) }; yield; task.cancel(); seen += value"
    case .cancelHandled(let letter):
      "task with a cancellation handler, both log, \(letter) and !; Task.yield(); task.cancel()"
    case .reduceStream: "a task yields twice to a stream of one place; seen += stream.map.reduce"
    case .reduceGroup(let letter):
      "withTaskGroup: two times addTask { \"\(letter)\" }; seen += group.reduce"
    case .stream: "two tasks yield \"1\" and \"2\" to a stream; seen += both as they come"
    }
  }
}
