import Synchronization

/// How the callers of `stress` run.
public enum StressCallers: String, Sendable, Hashable, CaseIterable {
  /// A separate thread for each caller, outside of any pool.
  case threads
  /// Tasks on Swift's shared task pool.
  case tasks
  /// Blocks on a concurrent Dispatch queue.
  case queue
}

/// A caller of `stress`, in one round.
public struct StressCaller: Sendable, CustomStringConvertible {
  /// The caller's number, from 0.
  public let index: Int
  /// The round's number, from 0.
  public let round: Int
  private let draws: Draws

  init(_ index: Int, round: Int, seed: UInt64) {
    self.index = index
    self.round = round
    draws = Draws(
      mixed(seed &+ mixed(UInt64(index) << 32 | UInt64(round)) &* 0x9E37_79B9_7F4A_7C15))
  }

  /// A random number in the range. A replay with the same seed draws the same numbers.
  ///
  /// Each call draws the next number of the caller in its round. Callable from any thread.
  ///
  /// - Parameter range: The numbers to choose from; it must not be empty.
  /// - Returns: A number in the range.
  public func random(in range: Range<Int>) -> Int {
    precondition(!range.isEmpty, "a range to draw from must not be empty")
    let count = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
    return range.lowerBound &+ Int(draws.next().multipliedFullWidth(by: count).high)
  }

  /// `caller 3, round 17`.
  public var description: String { "caller \(index), round \(round)" }
}

/// The random numbers of one caller in one round.
private final class Draws: Sendable {
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)

  init(_ seed: UInt64) { self.seed = seed }

  func next() -> UInt64 {
    // Relaxed: the counter orders nothing.
    let number = count.add(1, ordering: .relaxed).newValue
    return mixed(seed &+ number &* 0x9E37_79B9_7F4A_7C15)
  }
}

/// The finalizer of SplitMix64: a bijection that mixes the bits of a word.
func mixed(_ word: UInt64) -> UInt64 {
  var word = word
  word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
  word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
  return word ^ word >> 31
}
