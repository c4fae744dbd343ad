import Interlock
import Hangs

extension ExplorationFailure {
  /// What a failing test prints: the verdict, the schedule as a table with a column for each
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

  /// As `order`, with rows of the table of at most `width` characters.
  package func order(width: Int) -> [String] {
    var lines = schedule.table(
      limit: 60, width: width, failed: failedLine.map { ($0, thread) })
    lines += schedule.legend
    // Where a livelock reached the limit of steps, threads can continue.
    let isStuck = verdict == .deadlock || verdict == .livelock && !schedule.blocked.isEmpty
    let waits = isStuck ? schedule.waits : []
    if !waits.isEmpty { lines += ["no thread can continue:"] + waits.map { "  \($0)" } }
    if let divergence {
      lines.append("the token's schedule does not fit any more: \(divergence)")
    }
    return lines
  }

  /// What the last row shows: where the body failed, or how it ended.
  private var failedLine: String? {
    switch verdict {
    case .crashed: "crashed"
    case .failed: place.flatMap { $0.isEmpty ? nil : $0 }
    default: nil
    }
  }

  /// How it failed, in one line.
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
      ? number + "; it has \(switches)"
      : number + "; the shortest schedule found has \(switches)"
  }

  /// Whether what an earlier execution left behind may have made it fail.
  var mayComeFromState: Bool { isUnrepeatable || verdict == .notDeterministic }

  private var starvation: String? {
    guard let dryPoolWidth else { return nil }
    let threads =
      dryPoolWidth == 1
      ? "the only thread of the pool waits" : "all \(dryPoolWidth) threads of the pool wait"
    return "deadlock (starvation): \(threads)"
  }

  /// On which machines it fails.
  private var machines: String {
    guard let narrowPool else { return "" }
    let width = narrowPool.width
    if narrowPool.isShared { return ", where tasks and Dispatch's blocks share \(width) threads" }
    let fewer = narrowPool.sufficientIsSmallest ? "" : ", and fewer may"
    let enough = narrowPool.sufficientWidth.map { "; \($0) suffice\(fewer)" } ?? ""
    return ", where tasks have \(width) thread\(width == 1 ? "" : "s")\(enough)"
  }

  /// Why the failure may have another cause than the order, in short and in full; `nil` if there
  /// is no reason to think so.
  package var doubt: (reason: String, details: String)? {
    if verdict == .timedOut { return (outcome, outcome) }
    if verdict == .notDeterministic || isUnrepeatable {
      if isOnlyFirst { return ("the body leaves state behind, or depends on chance", headline) }
      let details =
        isUnrepeatable ? "an order failed once, and passed when it was repeated" : outcome
      return ("the body is not deterministic", details)
    }
    guard !escaped.isEmpty else { return nil }
    let reason = "not controlled: \(escaped.joined(separator: ", "))"
    let failed = verdict == .failed ? "\(text)\(place.map { " (\($0))" } ?? "")" : outcome
    return (reason, "\(failed), with calls that are \(reason)")
  }

  private var outcome: String {
    switch verdict {
    case .failed: "the body failed"
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
  /// Both sides in full, with the variable and what the race means.
  fileprivate var lines: [String] {
    variableLines + first.lines(as: "first") + second.lines(as: "second") + ["  \(meaning)"]
  }
}
