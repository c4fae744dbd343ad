internal import CInterlockExplorer
import Interlock
import Prediction
internal import Synchronization

/// Runs a body once for each order that a strategy chooses.
///
/// The body must make everything that it uses anew in each execution, and its threads must end
/// before it returns. One exploration runs at a time in a process; a second one waits.
package struct Exploration: Sendable {
  private let options: ExplorationOptions
  /// Names the body in tokens.
  private let name: String

  /// Explores as the options say; `name` tells the body's tokens from those of others.
  package init(_ options: ExplorationOptions, of name: String) {
    self.options = options
    self.name = name
  }

  /// Explores a body, which returns `false` if the execution failed.
  ///
  /// The body escapes: threads of an execution that deadlocked keep what they hold.
  ///
  /// - Throws: Why nothing was explored.
  package func run(_ body: @escaping () -> Bool) throws(ExplorationRefusal) -> ExplorationOutcome {
    try Self.inTurn { () throws(ExplorationRefusal) in try explore(body) }
  }

  /// The engine's results are its own memory until the next exploration begins, so another one
  /// waits until they have been read.
  private static let turn = Mutex(())

  private static func inTurn(
    _ work: () throws(ExplorationRefusal) -> ExplorationOutcome
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    // It would wait for itself.
    if interlock_is_explored() {
      throw ExplorationRefusal(description: "an explored body cannot explore")
    }
    OwnCode.register(OwnCode.explorer)
    return try turn.withLock { _ throws(ExplorationRefusal) in
      try RaceCheck.alone { () throws(ExplorationRefusal) in try work() }
    }
  }

  private func explore(
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    var engine = Engine(options)
    for phase in phases where engine.executions < options.executions ?? .max {
      let result = try engine.run(phase, body)
      if result.failures > 0 { return .failed(try failure(result, &engine, body)) }
      if result.is_complete, engine.escaped.isEmpty {
        return .allOrdersPass(
          count: Int(result.executions - result.cut), leftBehind: engine.leftBehind)
      }
    }
    return .sampled(
      count: engine.executions, leftBehind: engine.leftBehind, escaped: engine.escaped.sorted())
  }

  /// Reads a token without executing its schedule.
  ///
  /// - Throws: Why it is no token of this body, in one line.
  package func check(_ token: String) throws(ExplorationRefusal) {
    var schedule = interlock_schedule()
    var platform: UInt32 = 0
    if let error = interlock_token_read(token, name, &platform, &schedule) {
      throw ExplorationRefusal(description: String(cString: error))
    }
    interlock_schedule_destroy(&schedule)
  }

  /// Code of a module, or of one that it uses, that no exploration controls: atomics, and `Mutex`
  /// without contention. A line for a report; `nil` if there is none.
  package static func uncontrolledCode(inModule module: String) -> String? {
    OwnCode.register(OwnCode.explorer)
    return UncontrolledCode.place(inModule: module)
  }

  /// Executes the one schedule that a token names.
  package func replay(
    _ token: String, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    try Self.inTurn { () throws(ExplorationRefusal) in try execute(token, body) }
  }

  private func execute(
    _ token: String, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    var schedule = interlock_schedule()
    var platform: UInt32 = 0
    if let error = interlock_token_read(token, name, &platform, &schedule) {
      throw ExplorationRefusal(description: String(cString: error))
    }
    defer { interlock_schedule_destroy(&schedule) }
    var options = options
    options.poolWidth = platform % Self.widths == 0 ? nil : Int(platform % Self.widths)
    var engine = Engine(options, facts: platform / Self.widths)
    let choices = Array(UnsafeBufferPointer(start: schedule.choices, count: schedule.count))
    let (result, witness) = try engine.look(at: choices, body)
    guard result.failures > 0 else {
      return .sampled(
        count: 1, leftBehind: engine.leftBehind, escaped: engine.escaped.sorted())
    }
    var failure = ExplorationFailure(result, token: token, at: 1)
    failure.add(witness)
    return .failed(failure)
  }

  private func failure(
    _ found: interlock_exploration_result, _ engine: inout Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationFailure {
    let choices = Array(UnsafeBufferPointer(start: found.choices_made, count: found.choice_count))
    let at = engine.executions
    // Read before the next execution, which reuses the engine's memory.
    let first = ExplorationFailure(found, token: token(choices, facts: engine.facts), at: at)
    // A body that is not deterministic may pass now: then the first failure is shown.
    let shortest = engine.shrink(choices, body) ?? choices
    let (result, witness) = try engine.look(at: shortest, body)
    guard result.failures > 0 else { return first }
    var failure = ExplorationFailure(
      result, token: token(shortest, facts: engine.facts), at: at)
    failure.add(witness)
    return failure
  }

  private func token(_ choices: [UInt32], facts: UInt32) -> String {
    var choices = choices
    return choices.withUnsafeMutableBufferPointer { buffer in
      var schedule = interlock_schedule(
        choices: buffer.baseAddress, count: buffer.count, capacity: buffer.count)
      let platform = UInt32(options.poolWidth ?? 0) + facts * Self.widths
      let length = interlock_token_write(nil, 0, name, platform, &schedule)
      return String(unsafeUninitializedCapacity: length + 1) { text in
        text.withMemoryRebound(to: CChar.self) { text in
          interlock_token_write(text.baseAddress, text.count, name, platform, &schedule)
        }
      }
    }
  }

  /// A token's number of the platform is the width of the pools, and above it what executions had
  /// shown of the body.
  private static let widths: UInt32 = 4096
  /// The widths that a pool can have.
  package static let poolWidths = 1...Int(widths - 1)

  /// What is tried, one after the other.
  private var phases: [Phase] {
    let all = options.seconds
    switch options.strategy {
    case .everyOrder: return [.everyOrder(seconds: all / 2), .sampling(seconds: all / 2)]
    case .depthFirst(let bound): return [.depthFirst(bound, seconds: all)]
    case .random: return [.random(seconds: all)]
    case .pct(let depth): return [.pct(depth, seconds: all)]
    case .pos: return [.pos(seconds: all)]
    case .surw: return [.surw(seconds: all)]
    case .roundRobin: return [.roundRobin(seconds: all)]
    }
  }
}
