import InterlockTesting
import OptimizedCheckedAtomics
import Synchronization
import Testing

/// Explored bodies that lose an update by atomics of each kind.
@Suite(.serialized) struct ExploredKinds {
  @Test(arguments: CheckedTests.AtomicKinds.updates.indices, [false, true])
  func unoptimised(_ index: Int, isWeak: Bool) throws {
    let kind = CheckedTests.AtomicKinds.updates[index]
    try explore(.memoryModel(isWeak ? .weak : .sequential)) {
      let (update, isRight) = kind.make()
      onTwoThreads(update)
      #expect(isRight(), "\(kind.name)")
    }
  }

  @Test(arguments: OptimizedCheckedAtomics.AtomicKinds.updates.indices, [false, true])
  func optimised(_ index: Int, isWeak: Bool) throws {
    let kind = OptimizedCheckedAtomics.AtomicKinds.updates[index]
    try explore(.memoryModel(isWeak ? .weak : .sequential)) {
      let (update, isRight) = kind.make()
      onTwoThreads(update)
      #expect(isRight(), "\(kind.name)")
    }
  }

  final class Side: Sendable {
    let pair = Atomic(WordPair(first: 0, second: 0))
    /// The value that this side's thread has seen of the other side.
    let seen = Atomic(UInt(1))

    func meet(_ other: Side, isSequential: Bool) {
      let one = WordPair(first: 1, second: 1)
      if isSequential {
        pair.store(one, ordering: .sequentiallyConsistent)
        seen.store(other.pair.load(ordering: .sequentiallyConsistent).second, ordering: .relaxed)
      } else {
        pair.store(one, ordering: .releasing)
        seen.store(other.pair.load(ordering: .acquiring).second, ordering: .relaxed)
      }
    }
  }

  /// Each of two threads stores a pair, and then loads the pair of the other.
  @Test(arguments: [false, true]) func storeBuffering(isSequential: Bool) throws {
    try explore(.memoryModel(.weak)) {
      let (one, other) = (Side(), Side())
      onThreads([
        { one.meet(other, isSequential: isSequential) },
        { other.meet(one, isSequential: isSequential) },
      ])
      let seen = one.seen.load(ordering: .relaxed) + other.seen.load(ordering: .relaxed)
      #expect(seen > 0)
    }
  }
}
