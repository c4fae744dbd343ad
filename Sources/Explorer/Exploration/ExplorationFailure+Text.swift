import Interlock
import Hangs

extension ExplorationFailure {
  /// The text of a failed test: the verdict, the schedule as a table with one column for each
  /// thread, and what each blocked thread waits for.
  package var report: String {
    ([summary] + evidence + order).joined(separator: "\n")
  }

  /// The failure, and how its order was found.
  package var summary: String {
    (verdict == .failed && !text.isEmpty ? "\(text)\n" : "") + headline
  }

  /// Both sides of a race, or the cause of a deadlock.
  package var evidence: [String] {
    let beside = verdict == .race ? nil : memoryRace.map { "race in memory: \($0.sentence)" }
    return (race?.lines ?? []) + (beside.map { [$0] } ?? []) + (memoryRace?.lines ?? [])
      + explanation.map { "  \($0)" }
  }

  /// The schedule as a table, and what each blocked thread waits for.
  package var order: [String] { order(width: ReportWidth.current) }

  /// Like `order`, with table rows of at most `width` characters.
  package func order(width: Int) -> [String] {
    var lines = schedule.table(
      limit: 60, width: width, failed: failedLine.map { ($0, thread) })
    lines += schedule.legend
    // In a livelock at the limit of steps, threads can continue: list waits only if some are
    // blocked.
    let isStuck = verdict == .deadlock || verdict == .livelock && !schedule.blocked.isEmpty
    let waits = isStuck ? schedule.waits : []
    if !waits.isEmpty { lines += ["no thread can continue:"] + waits.map { "  \($0)" } }
    if let divergence {
      lines.append("the token's schedule does not fit any more: \(divergence)")
    }
    return lines
  }

  /// The text of the last row: where the body failed, or how it ended.
  private var failedLine: String? {
    switch verdict {
    case .crashed: "crashed"
    case .failed: place.flatMap { $0.isEmpty ? nil : $0 }
    default: nil
    }
  }

  /// The verdict in one line.
  package var headline: String {
    let switches = "\(schedule.switches) context switch\(schedule.switches == 1 ? "" : "es")"
    let origin =
      switch self.origin {
      case .order(let number): "order number \(number)"
      case .kept: "an order kept from an earlier run"
      case .token: "the token's order"
      }
    if isOnlyFirst {
      return "the body failed in its first execution, and after it all orders passed: the body"
        + " depends on state that it leaves behind, such as a static variable, on chance or on real"
        + " time"
    }
    let number = "\(outcome)\(machines) (\(origin))"
    if isUnrepeatable {
      return number + "; the same choices passed when they were tried again: the body depends on"
        + " state that it leaves behind, on chance or on real time"
    }
    return self.origin == .token
      ? number + "; it has \(switches)\(doors)"
      : number + "; the shortest schedule found has \(switches)\(doors)"
  }

  /// True if state left behind by an earlier execution may have caused the failure.
  var mayComeFromState: Bool { isUnrepeatable || verdict == .notDeterministic }

  private var starvation: String? {
    guard let dryPoolWidth else { return nil }
    let threads =
      dryPoolWidth == 1
      ? "the only thread of the pool waits" : "all \(dryPoolWidth) threads of the pool wait"
    return "deadlock (starvation): \(threads)"
  }

  /// The pool width at which the failure occurs, and one that suffices.
  private var machines: String {
    guard let narrowPool else { return "" }
    let width = narrowPool.width
    if narrowPool.isShared { return ", where tasks and Dispatch's blocks share \(width) threads" }
    let fewer = narrowPool.sufficientIsSmallest ? "" : ", and fewer may"
    let enough = narrowPool.sufficientWidth.map { "; \($0) suffice\(fewer)" } ?? ""
    return ", where tasks have \(width) thread\(width == 1 ? "" : "s")\(enough)"
  }

  /// Why the failure may have a cause other than the order, in short and in full; `nil` if nothing
  /// suggests it.
  package var doubt: (reason: String, details: String)? {
    if verdict == .timedOut { return (outcome, outcome) }
    if verdict == .notDeterministic || isUnrepeatable {
      if isOnlyFirst { return ("the body leaves state behind, or depends on chance", headline) }
      let details =
        isUnrepeatable ? "an order failed once, and passed when it was repeated" : outcome
      return ("the body is not deterministic", details)
    }
    guard let reason = uncontrolled else { return nil }
    let failed = verdict == .failed ? "\(text)\(place.map { " (\($0))" } ?? "")" : outcome
    return (reason, "\(failed), with calls that are \(reason)")
  }

  /// The calls that escaped control, which may be the cause; `nil` if there are none.
  private var uncontrolled: String? {
    escaped.isEmpty ? nil : "not controlled: \(escaped.joined(separator: ", "))"
  }

  private var doors: String { uncontrolled.map { "; \($0)" } ?? "" }

  /// True if code that no order controls may end a wait of the deadlock. No such code ends a wait
  /// for a lock that another thread of the deadlock holds.
  var mayEnd: Bool {
    guard verdict == .deadlock, uncontrolled != nil else { return false }
    return cause != .cycle && cause != .`self`
  }

  private var outcome: String {
    switch verdict {
    case .failed: "the body failed"
    case .deadlock where mayEnd:
      "a deadlock\(cause.map { " (\($0.rawValue))" } ?? ""), or a wait that code ends which no"
        + " order controls"
    case .deadlock:
      starvation ?? self.cause.map { "deadlock (\($0.rawValue))" } ?? "deadlock"
    case .livelock:
      schedule.blocked.isEmpty
        ? "livelock: the limit of steps was reached"
        : "livelock: a loop waits for a value that no thread writes"
    case .timedOut: text.isEmpty ? "a step took longer than its limit" : text
    case .crashed(let signal): text.isEmpty ? "crashed by signal \(signal)" : text
    case .misuse, .race: text
    case .notDeterministic:
      "the body is not deterministic: \(text); a usual cause is a set or a dictionary whose keys"
        + " hash by their address"
    }
  }
}

extension MemoryRace {
  /// Both sides of the race in full, with the variable and the meaning of the race.
  fileprivate var lines: [String] {
    variableLines + first.lines(as: "first") + second.lines(as: "second") + ["  \(meaning)"]
  }
}
