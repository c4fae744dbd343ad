public import Synchronization

/// The shared table: two numbers for each key; a write increments one at its beginning and the
/// other at its end.
///
/// So it detects missing mutual exclusion by itself, in any build and during measurement: a reader
/// that finds two different numbers overlapped a write, and overlapping writes lose an increment.
///
/// `@unchecked Sendable`: the numbers are atomic. All are relaxed: the lock under test has to order
/// them, and if it fails, the result must be detectable and not undefined.
@usableFromInline
package final class SharedTable: @unchecked Sendable {
  /// How many keys there are.
  package let keys: Int
  /// The length of the critical section, in rounds of `burn`.
  @usableFromInline let burns: Int
  @usableFromInline let numbers: UnsafeMutablePointer<Atomic<UInt64>>

  /// Makes a table whose numbers are all 0.
  ///
  /// - Parameters:
  ///   - keys: The number of keys, from 1.
  ///   - burns: The rounds of arithmetic in the critical section, from 0.
  package init(keys: Int, burns: Int) {
    self.keys = keys
    self.burns = burns
    numbers = .allocate(capacity: keys * 2)
    for index in 0..<keys * 2 { (numbers + index).initialize(to: Atomic(0)) }
  }

  deinit {
    numbers.deinitialize(count: keys * 2)
    numbers.deallocate()
  }

  /// Reads a key; call it under the lock, shared or exclusive.
  ///
  /// - Returns: Whether no write overlapped.
  @inlinable
  package func read(_ key: Int) -> Bool {
    let first = numbers[key * 2].load(ordering: .relaxed)
    if burns > 0 { burn(burns) }
    return numbers[key * 2 + 1].load(ordering: .relaxed) == first
  }

  /// Writes a key; call it under the exclusive lock.
  @inlinable
  package func write(_ key: Int) {
    let first = numbers[key * 2].load(ordering: .relaxed)
    let second = numbers[key * 2 + 1].load(ordering: .relaxed)
    numbers[key * 2].store(first &+ 1, ordering: .relaxed)
    if burns > 0 { burn(burns) }
    numbers[key * 2 + 1].store(second &+ 1, ordering: .relaxed)
  }

  /// How many of `writes` are missing in one or both numbers.
  @usableFromInline
  package func lost(of writes: Int) -> Int {
    let sums = (0..<2).map { half in
      (0..<keys).reduce(0) { $0 + Int(numbers[$1 * 2 + half].load(ordering: .relaxed)) }
    }
    return sums.map { abs(writes - $0) }.max() ?? 0
  }
}
