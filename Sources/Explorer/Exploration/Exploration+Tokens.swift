internal import CInterlockExplorer
import Interlock

/// Tokens: each names one schedule of one body.
extension Exploration {
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

  /// Executes the one schedule that a token names.
  package func replay(
    _ token: String, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> ExplorationOutcome {
    try Self.inTurn { _ throws(ExplorationRefusal) in try execute(token, body) }
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
    let width = platform % Self.widths == 0 ? nil : Int(platform % Self.widths)
    let isOfTasks = platform & Self.tasksAlone != 0
    (options.poolWidth, options.taskWidth) = isOfTasks ? (nil, width) : (width, nil)
    options.hasExactTime = platform & Self.exactTime != 0
    if platform & Self.manyYields != 0 { options.yieldsInARow = ExplorationOptions.manyYields }
    options.memoryModel = platform & Self.weakMemory != 0 ? .weak : .sequential
    let accesses = Array(
      UnsafeBufferPointer(start: schedule.accesses, count: schedule.access_count))
    let points = AccessPoints(keys: accesses)
    if points.keys != accesses {
      throw ExplorationRefusal(
        description: "the token's schedule does not fit any more: the function of an access of"
          + " memory, at which its threads change, is gone or has fewer accesses")
    }
    var engine = Engine(
      options, of: name, around: around, state: state,
      facts: platform / Self.widths & UInt32(INTERLOCK_ALL_FACTS.rawValue),
      points: points)
    let choices = Array(UnsafeBufferPointer(start: schedule.choices, count: schedule.count))
    let (result, witness) = try engine.look(at: choices, bodyIsTask: bodyIsTask, body)
    guard result.failures > 0 else {
      if let divergence = engine.divergence {
        throw ExplorationRefusal(
          description: "the token's schedule does not fit any more: \(divergence); the body has"
            + " changed since")
      }
      return .sampled(
        count: 1, leftBehind: engine.leftBehind, escaped: engine.escaped.sorted())
    }
    var failure = made(result, token: token, .token, engine.race)
    if let divergence = engine.divergence { failure.repetition = .departs(divergence) }
    failure.add(witness)
    return .failed(failure)
  }

  func token(_ choices: [UInt32], _ engine: Engine) -> String {
    var choices = choices
    var accesses = engine.points.keys
    let platform = Self.platform(options, facts: engine.facts)
    return choices.withUnsafeMutableBufferPointer { choices in
      accesses.withUnsafeMutableBufferPointer { accesses in
        var schedule = interlock_schedule(
          choices: choices.baseAddress, count: choices.count, capacity: choices.count,
          accesses: accesses.baseAddress, access_count: accesses.count)
        let length = interlock_token_write(nil, 0, name, platform, &schedule)
        return String(unsafeUninitializedCapacity: length + 1) { text in
          text.withMemoryRebound(to: CChar.self) { text in
            interlock_token_write(text.baseAddress, text.count, name, platform, &schedule)
          }
        }
      }
    }
  }

  static func platform(_ options: ExplorationOptions, facts: UInt32) -> UInt32 {
    UInt32(options.taskWidth ?? options.poolWidth ?? 0) + facts * widths
      + (options.taskWidth == nil ? 0 : tasksAlone) + (options.hasExactTime ? exactTime : 0)
      + (options.memoryModel == .weak ? weakMemory : 0)
      + (options.yieldsInARow == ExplorationOptions.manyYields ? manyYields : 0)
  }

  /// A token's platform number: its low 12 bits are the pool width, the bits above them the facts.
  private static let widths: UInt32 = 4096
  /// The bit which says that the width is that of the task pool alone.
  private static let tasksAlone: UInt32 = 1 << 30
  /// The bit for many yields in a row.
  private static let manyYields: UInt32 = 1 << 28
  /// The bit for the weak memory model.
  private static let weakMemory: UInt32 = 1 << 29
  /// The bit for exact times.
  private static let exactTime: UInt32 = 1 << 31
  /// The widths that a pool can have.
  package static let poolWidths = 1...Int(widths - 1)
}
