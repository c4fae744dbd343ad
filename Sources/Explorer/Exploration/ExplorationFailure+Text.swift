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
    let beside = memoryRace.map { ["race in memory: \($0.sentence)"] } ?? []
    return beside + (race?.lines ?? []) + explanation.map { "  \($0)" }
  }

  /// The schedule as a table, and what each blocked thread waits for.
  package var order: [String] { order(width: ReportWidth.current) }

  /// Like `order`, with table rows of at most `width` characters.
  package func order(width: Int) -> [String] {
    // In a livelock at the limit of steps, threads can continue: list waits only if some are
    // blocked.
    let (end, isStuck): (String?, Bool) =
      switch verdict {
      case .failed: (place, false)
      case .crashed: ("crashed", false)
      case .deadlock: (nil, true)
      case .livelock: (nil, !schedule.blocked.isEmpty)
      default: (nil, false)
      }
    var lines = schedule.table(limit: 60, width: width, failed: end.map { ($0, thread) })
    lines += schedule.legend
    let waits = isStuck ? schedule.waits : []
    if !waits.isEmpty { lines += ["no thread can continue:"] + waits.map { "  \($0)" } }
    if case .departs(let reason) = repetition {
      lines.append("the token's schedule does not fit any more: \(reason)")
    }
    return lines
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
    let failed = "\(outcome)\(machines) (\(origin))"
    return switch repetition {
    case .allOrdersPass:
      "the body failed in its first execution, and after it all orders passed: the body"
        + " depends on state that it leaves behind, such as a static variable, on chance or on real"
        + " time"
    case .passes:
      failed + "; the same choices passed when they were tried again: the body depends on"
        + " state that it leaves behind, on chance or on real time"
    case .fails, .departs:
      failed + (self.origin == .token ? "; it has " : "; the shortest schedule found has ")
        + switches + (uncontrolled.map { "; \($0)" } ?? "")
    }
  }

  /// True if state left behind by an earlier execution may have caused the failure.
  var mayComeFromState: Bool { repetition == .passes || verdict == .notDeterministic }

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
    let failed: String
    switch (verdict, repetition) {
    case (.timedOut, _): return (outcome, outcome)
    case (_, .allOrdersPass):
      return ("the body leaves state behind, or depends on chance", headline)
    case (_, .passes), (.notDeterministic, _):
      let hasPassed = "an order failed once, and passed when it was repeated"
      return ("the body is not deterministic", repetition == .passes ? hasPassed : outcome)
    case (.failed, _): failed = text + (place.map { " (\($0))" } ?? "")
    default: failed = outcome
    }
    guard let reason = uncontrolled else { return nil }
    return (reason, "\(failed), with calls that are \(reason)")
  }

  /// The calls that escaped control, which may be the cause; `nil` if there are none.
  private var uncontrolled: String? {
    escaped.isEmpty ? nil : "not controlled: \(escaped.joined(separator: ", "))"
  }

  /// True if code that no order controls may end a wait of the deadlock. No such code ends a wait
  /// for a lock that another thread of the deadlock holds.
  var mayEnd: Bool {
    guard case .deadlock(let cause) = verdict, uncontrolled != nil else { return false }
    return cause != .cycle && cause != .`self`
  }

  private var dryPool: String {
    guard let dryPoolWidth else { return "" }
    return dryPoolWidth == 1
      ? ": the only thread of the pool waits" : ": all \(dryPoolWidth) threads of the pool wait"
  }

  private var outcome: String {
    switch verdict {
    case .failed: "the body failed"
    case .deadlock(let cause):
      if mayEnd {
        "a deadlock\(cause.map { " (\($0.rawValue))" } ?? ""), or a wait that code ends which no"
          + " order controls"
      } else {
        "deadlock" + (cause.map { " (\($0.rawValue))" } ?? "") + dryPool
      }
    case .livelock:
      schedule.blocked.isEmpty
        ? "livelock: the limit of steps was reached"
        : "livelock: a loop waits for a value that no thread writes"
    case .timedOut: text.isEmpty ? "a step took longer than its limit" : text
    case .crashed(let signal): text.isEmpty ? "crashed by signal \(signal)" : text
    case .misuse, .selfWait, .race: text
    case .notDeterministic:
      "the body is not deterministic: \(text); a usual cause is a set or a dictionary whose keys"
        + " hash by their address"
    }
  }
}
