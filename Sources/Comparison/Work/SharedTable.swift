public import Synchronization

/// What callers share: two numbers for each key, which a write counts up, the one at its beginning
/// and the other at its end.
///
/// So it tells by itself whether it was guarded, in any build and while it is measured: who reads
/// two different numbers was in beside a writer, and where two writers were in together the numbers
/// are short of a write.
///
/// `@unchecked Sendable`: the numbers are atomic. Relaxed, all of them: what orders them is the
/// lock, and if it does not, that must be seen and not be undefined.
public final class SharedTable: @unchecked Sendable {
  /// How many keys there are.
  public let keys: Int
  /// How long a call is inside: rounds of `burn`.
  @usableFromInline let burns: Int
  @usableFromInline let numbers: UnsafeMutablePointer<Atomic<UInt64>>

  /// Makes a table whose numbers are all 0.
  ///
  /// - Parameters:
  ///   - keys: How many keys, from 1.
  ///   - burns: How many rounds of arithmetic a call does inside, from 0.
  public init(keys: Int, burns: Int) {
    self.keys = keys
    self.burns = burns
    numbers = .allocate(capacity: keys * 2)
    for index in 0..<keys * 2 { (numbers + index).initialize(to: Atomic(0)) }
  }

  deinit {
    numbers.deinitialize(count: keys * 2)
    numbers.deallocate()
  }

  /// Reads a key. Only under the lock, shared or not.
  ///
  /// - Returns: Whether no writer was in.
  @inlinable
  public func read(_ key: Int) -> Bool {
    let first = numbers[key * 2].load(ordering: .relaxed)
    if burns > 0 { burn(burns) }
    return numbers[key * 2 + 1].load(ordering: .relaxed) == first
  }

  /// Writes a key. Only under the lock.
  @inlinable
  public func write(_ key: Int) {
    let first = numbers[key * 2].load(ordering: .relaxed)
    let second = numbers[key * 2 + 1].load(ordering: .relaxed)
    numbers[key * 2].store(first &+ 1, ordering: .relaxed)
    if burns > 0 { burn(burns) }
    numbers[key * 2 + 1].store(second &+ 1, ordering: .relaxed)
  }

  /// How many of so many writes are in neither number, or in one of the two only.
  public func lost(of writes: Int) -> Int {
    let sums = (0..<2).map { half in
      (0..<keys).reduce(0) { $0 + Int(numbers[$1 * 2 + half].load(ordering: .relaxed)) }
    }
    return sums.map { abs(writes - $0) }.max() ?? 0
  }
}
