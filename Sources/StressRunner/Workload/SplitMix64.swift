/// The SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
///
/// The standard library's generator takes no seed, and the results of `random(in:using:)` may
/// change between versions. The same seed must always give the same workload.
package struct SplitMix64 {
  private var state: UInt64

  /// Creates a generator whose numbers depend only on `seed` and `coordinates`, and are independent
  /// of other generators.
  package init(seed: UInt64, at coordinates: Int...) {
    state = seed
    for coordinate in coordinates {
      state = Self.mixed(state &+ Self.step &* (UInt64(truncatingIfNeeded: coordinate) &+ 1))
    }
  }

  /// The next number, uniform over all 2^64.
  package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// The next whole number from 0 to `bound` - 1, by Lemire's multiplication; for the bounds of a
  /// workload (below 2^32) its bias is below 2^-32.
  package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// The next number in [0, 1).
  package mutating func nextFraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A bijection in which flipping one input bit flips about half of the output bits.
  static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
