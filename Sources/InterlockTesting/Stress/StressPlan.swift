import Foundation

/// The repeatable part of a stress. Its text is the replay string.
///
/// The plan does not contain the scheduler's choices.
struct StressPlan: Sendable, Hashable {
  static let mostCallers = 1024
  static let mostRounds = 1_000_000

  var callers: Int
  var rounds: Int
  var kind: StressCallers
  var seed: UInt64
  /// A hash of the test function's name.
  var function: UInt16

  /// Creates a plan with a new seed.
  init(
    callers: Int, rounds: Int, kind: StressCallers, function: String,
    seed: UInt64 = .random(in: 0...UInt64.max)
  ) throws(StressError) {
    try Self.check(callers, 1...Self.mostCallers, "callers")
    try Self.check(rounds, 1...Self.mostRounds, "rounds")
    self.callers = callers
    self.rounds = rounds
    self.kind = kind
    self.seed = seed
    self.function = Self.hash(function)
  }

  /// Creates the plan of a replay string.
  init(replay: String, function: String) throws(StressError) {
    guard let plan = Self(text: replay) else { throw StressError(Self.refusal(of: replay)) }
    guard plan.function == Self.hash(function) else {
      throw StressError("the replay '\(replay)' belongs to another test than \(function)")
    }
    self = plan
  }

  /// True if a replay string belongs to a function.
  static func isReplay(_ text: String, of function: String) -> Bool {
    Self(text: text)?.function == hash(function)
  }

  /// The string in `INTERLOCK_STRESS_REPLAY`; `nil` if the variable is not set. The string may
  /// belong to another test, or be the token of an order for `checkSendable`.
  ///
  /// - Throws: `StressError` for a string that is neither.
  static func replayOfEnvironment() throws(StressError) -> String? {
    let name = "INTERLOCK_STRESS_REPLAY"
    let text = ProcessInfo.processInfo.environment[name] ?? ""
    if text.isEmpty { return nil }
    guard text.hasPrefix("i1-") || Self(text: text) != nil else {
      throw StressError("\(name): " + refusal(of: text))
    }
    return text
  }

  private static func refusal(of text: String) -> String {
    "a replay is a string that a failure has printed, as 's1-8-200-threads-…', found"
      + " '\(text.prefix(80))'"
  }

  private init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "s1", let callers = Int(parts[1]),
      let rounds = Int(parts[2]), (1...Self.mostCallers).contains(callers),
      (1...Self.mostRounds).contains(rounds), let kind = StressCallers(rawValue: String(parts[3])),
      let seed = UInt64(parts[4], radix: 16), let function = UInt16(parts[5], radix: 16)
    else { return nil }
    self.callers = callers
    self.rounds = rounds
    self.kind = kind
    self.seed = seed
    self.function = function
  }

  /// The replay string.
  var text: String {
    "s1-\(callers)-\(rounds)-\(kind.rawValue)-" + String(seed, radix: 16) + "-"
      + String(function, radix: 16)
  }

  /// The line for a failure that says how to repeat the run.
  var note: String { "replay: stress(replay: \"\(text)\")" }

  private static func check(
    _ value: Int, _ range: ClosedRange<Int>, _ name: String
  ) throws(StressError) {
    guard !range.contains(value) else { return }
    throw StressError(
      "'\(name)' must be from \(range.lowerBound) to \(range.upperBound), found \(value)")
  }

  /// FNV-1a, folded to 16 bits. Unlike `Hasher`, it is the same in every process.
  private static func hash(_ text: String) -> UInt16 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return UInt16(truncatingIfNeeded: hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48)
  }
}

/// Why `stress` did nothing, in one line.
public struct StressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason.
  public let description: String

  init(_ description: String) { self.description = description }
}
