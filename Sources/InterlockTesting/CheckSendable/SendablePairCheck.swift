import Explorer
import Findings
import Foundation
import Interlock
import InterlockWatchdog
import Testing

/// The check of two operations against each other.
struct SendablePairCheck<Subject: Sendable>: Sendable {
  typealias Operation = SendableOperations<Subject>.Operation
  typealias Outcome = SendableMatrix.Outcome

  /// The width of the simulated pool. It is that of a small machine, so that a token replays
  /// anywhere.
  private static var poolWidth: Int { 4 }

  let first: Operation
  let second: Operation
  private let check: SendableCheck<Subject>
  private let name: String
  private let stress: StressPlan
  private let hangLimit: Duration

  init(
    first: Operation, second: Operation, of check: SendableCheck<Subject>, name: String,
    stress: StressPlan, hangLimit: Duration
  ) {
    self.first = first
    self.second = second
    self.check = check
    self.name = name
    self.stress = stress
    self.hangLimit = hangLimit
  }

  private var title: String { "'\(first.name)' and '\(second.name)'" }
  private var hasOracle: Bool { check.plan.state != nil || !check.plan.invariants.isEmpty }

  /// True if a replay string belongs to the pair.
  func accepts(_ replay: String) -> Bool {
    if StressPlan.isReplay(replay, of: name) { return true }
    return (try? exploration(seconds: 1).check(replay)) != nil
  }

  /// Explores the pair, and runs it on two threads if exploration is not enough.
  ///
  /// - Parameters:
  ///   - budget: The time for exploration and threads together.
  ///   - replay: A replay string: executes only its order or its rounds.
  ///   - unmarked: The operation that begins no section; `nil` if both begin one.
  /// - Returns: The result for the pair, and the time spent waiting for other tests.
  /// - Throws: `StressError` if the operations fail when run one after the other.
  func run(
    within budget: Duration, replay: String?, unmarked: String?
  ) async throws -> (pair: SendableMatrix.Pair, waited: Duration) {
    var pair = SendableMatrix.Pair(
      first: first.name, second: second.name, outcome: .noConflictSeen(orders: 0, rounds: 0))
    if let replay, StressPlan.isReplay(replay, of: name) {
      let plan = try StressPlan(replay: replay, function: name)
      let (outcome, waited) = try await stressed(plan, for: .seconds(3600), after: 0)
      pair.outcome = outcome
      return (pair, waited)
    }
    let states = try await states(times: 1)
    let explored = await explore(states, seconds: budget / .seconds(2), replay: replay)
    var waited = explored.waited
    pair.notes = explored.notes
    if let lines = explored.conflict {
      pair.outcome = .conflict(lines)
    } else if let unmarked, !hasOracle, !MemoryRaceLog.isFed {
      pair.outcome = .unobservable(
        "'\(unmarked)' begins no section, and there is no 'invariant' or 'state': mark what it"
          + " accesses, as by @Tracked, add one of them, or have memory checked")
    } else if explored.isComplete, unmarked == nil {
      pair.outcome = .safe(orders: explored.orders)
    } else if replay != nil {
      pair.outcome = .noConflictSeen(orders: explored.orders, rounds: 0)
    } else {
      let (outcome, more) = try await stressed(stress, for: budget / 2, after: explored.orders)
      pair.outcome = outcome
      waited += more
    }
    return (pair, waited)
  }

  /// The states that sequential orders of the operations leave.
  ///
  /// - Throws: `StressError` if an operation fails in a sequential order.
  private func states(times count: Int) async throws -> SequentialStates {
    let watch = WatchedWork.begin(limit: hangLimit, note: "checkSendable: \(title), in turn")
    defer { watch.end() }
    return try await SequentialStates(
      of: first, and: second, times: count, on: check.make, state: check.plan.state)
  }

  // MARK: Exploring

  private struct Explored {
    var orders = 0
    /// True if all orders were executed, and no operation escaped control.
    var isComplete = false
    var conflict: [String]?
    var notes: [String] = []
    /// The time spent waiting for other explorations.
    var waited = Duration.zero
  }

  private func exploration(seconds: Double) -> Exploration {
    var options = ExplorationOptions()
    options.seconds = seconds
    options.poolWidth = Self.poolWidth
    return Exploration(options, of: name, around: watchIssues, bodyIsTask: true)
  }

  private func explore(
    _ states: SequentialStates, seconds: Double, replay: String?
  ) async -> Explored {
    let exploration = exploration(seconds: seconds)
    let body: @Sendable () async throws -> Void = { [self] in
      Exploration.forgetTaskNames()
      let subject = try await check.make()
      let isSame = first.name == second.name
      async let one: Void = drive(first, on: subject, as: first.name + (isSame ? " (1)" : ""))
      async let other: Void = drive(second, on: subject, as: second.name + (isSame ? " (2)" : ""))
      _ = try await (one, other)
      if let problem = try await problem(of: subject, states) { Exploration.fail(problem) }
    }
    let run = { () async throws -> (ExplorationOutcome, Duration) in
      try await onThread { () throws(ExplorationRefusal) in
        if let replay { return (try exploration.replay(replay) { attempt(body) }, .zero) }
        var waited = Duration.zero
        let outcome = try exploration.run {
          attempt(body)
        } notes: {
          if case .time(_, let others) = $0 { waited = others }
        }
        return (outcome, waited)
      }
    }
    do {
      let (outcome, waited) = try await run()
      var explored = explored(outcome)
      explored.waited = waited
      return explored
    } catch {
      return Explored(notes: ["not explored: \(error)"])
    }
  }

  /// Runs an operation as a task, and names the task in schedules.
  private func drive(_ operation: Operation, on subject: Subject, as name: String) async throws {
    Exploration.nameTask(name)
    try await operation.body(subject)
  }

  private func explored(_ outcome: ExplorationOutcome) -> Explored {
    switch outcome {
    case .allOrdersPass(let count, _, _):
      guard let code = Exploration.uncontrolledCode(inModule: check.place.moduleName) else {
        return Explored(orders: count, isComplete: true)
      }
      return Explored(orders: count, notes: ["not controlled by the exploration: \(code)"])
    case .sampled(let count, _, let escaped, _):
      let notes = escaped.isEmpty ? [] : ["not controlled: " + escaped.joined(separator: ", ")]
      return Explored(orders: count, notes: notes)
    case .failed(let failure):
      if [.notDeterministic, .timedOut].contains(failure.verdict) {
        return Explored(notes: ["not explored: \(failure.headline)"])
      }
      let note = "replay: checkSendable(replay: \"\(failure.token)\")"
      let place = location(of: failure) ?? check.place
      recordIssue(
        "\(title) conflict\n\(failure.report)\n\(note)", at: place,
        knownBecause: noteForReports(failure, title: "\(title) conflict", at: place))
      return Explored(conflict: failure.shortLines)
    }
  }

  /// The line at which to record a race: that of the side that did not run within `withLock`.
  private func location(of failure: ExplorationFailure) -> SourceLocation? {
    if let race = failure.race?.inMemory {
      return ConflictIssue(race, module: check.place.moduleName, note: "").location
    }
    guard let race = failure.race?.ofSections else { return nil }
    let isFirstLocked = race.first.stack.contains { $0.function?.contains("withLock") ?? false }
    let (side, other) =
      isFirstLocked ? (race.second, race.first) : (race.first, race.second)
    return SourceLocation(of: side) ?? SourceLocation(of: other)
  }

  // MARK: Running on threads

  private func stressed(
    _ plan: StressPlan, for time: Duration, after orders: Int
  ) async throws -> (Outcome, waited: Duration) {
    let isSame = first.name == second.name
    // Repeat the operations as often as the number of sequential orders permits: more repetitions
    // show more races of plain memory.
    let many = check.plan.state == nil ? 16 : isSame ? 256 : 3
    var count = many
    var states: SequentialStates
    do {
      states = try await self.states(times: many)
    } catch {
      // An operation may fail when it is repeated: run it once.
      count = 1
      states = try await self.states(times: 1)
    }
    let note = "in \(title)\nreplay: checkSendable(replay: \"\(plan.text)\")"
    let begun = ContinuousClock.now
    await AsyncTurns.ofStress.take()
    let waited = ContinuousClock.now - begun
    defer { AsyncTurns.ofStress.give() }
    let hadDelays = SectionTracking.restartDelays(seed: plan.seed)
    defer { SectionTracking.delays = hadDelays }
    let watch = WatchedWork.begin(limit: hangLimit, note: note)
    defer { watch.end() }
    let scope = TestScope(at: check.place, note: note)
    let run = StressRun(plan, check.make, scope, note: note) { [count] subject, caller in
      for _ in 0..<count { try await (caller.index == 0 ? first : second).body(subject) }
    } finish: { [states] subject in
      if let problem = try await problem(of: subject, states) { throw StressError(problem) }
    }
    var ran = 0
    await scope.run {
      ran = await StressNesting.$isInside.withValue(true) { await run.rounds(until: .now + time) }
    }
    guard run.failed else { return (.noConflictSeen(orders: orders, rounds: ran), waited) }
    let sides = scope.firstSides
    return (.conflict(sides.isEmpty ? [run.firstFailure ?? "failed"] : sides), waited)
  }

  /// The invariant or state that is wrong after both operations; `nil` if all hold.
  private func problem(of subject: Subject, _ states: SequentialStates) async throws -> String? {
    for invariant in check.plan.invariants { try await invariant(subject) }
    guard let state = check.plan.state else { return nil }
    return states.problem(try await state(subject))
  }
}

extension ExplorationFailure {
  /// The failure, in short lines for a cell of a matrix.
  fileprivate var shortLines: [String] {
    if let race = race?.ofSections { return [race.first.shortText, race.second.shortText] }
    if let race = race?.inMemory { return [race.first.shortText, race.second.shortText] }
    let waiting = schedule.waiting.filter { schedule.party($0) != .body }.map(schedule.text)
    if case .deadlock = verdict, !waiting.isEmpty { return ["deadlock"] + waiting }
    let line = text.isEmpty ? headline : text
    return [line.split(separator: "\n").first.map(String.init) ?? headline]
  }
}
