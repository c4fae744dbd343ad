import Foundation
import InterlockTesting
import Synchronization
import Testing

/// Random programs of atomics, a `Mutex` and waiting loops. The reduction finds every outcome that
/// depth-first search and a random walk find.
@Suite(.serialized) struct ExploredOutcomes {
  /// A step of a thread, on one of two words unless its comment says otherwise.
  enum Step {
    case load(Int)
    case store(Int, Int)
    case add(Int)
    case exchange(Int, from: Int, to: Int)
    /// Changes both words under a spin lock.
    case underSpinLock
    /// Changes the number under the `Mutex`.
    case underMutex(Int)
    /// Waits until an earlier thread has ended.
    case waitForEnd(of: Int)
  }

  struct Random: RandomNumberGenerator {
    var state: UInt64
    /// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      return mixed ^ mixed >> 31
    }
  }

  /// The threads of a program.
  static func threads(seed: UInt64) -> [[Step]] {
    var random = Random(state: seed)
    let count = Int.random(in: 2...3, using: &random)
    return (0..<count).map { thread in
      (0..<Int.random(in: 1...(count == 2 ? 3 : 2), using: &random)).map { _ in
        let word = Int.random(in: 0...1, using: &random)
        let value = Int.random(in: 0...2, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .load(word)
        case 1: return .store(word, value)
        case 2: return .add(word)
        case 3: return .exchange(word, from: value, to: value + 1)
        case 4: return .underSpinLock
        case 5: return .underMutex(value)
        case 6 where thread > 0: return .waitForEnd(of: Int.random(in: 0..<thread, using: &random))
        default: return .load(word)
        }
      }
    }
  }

  final class World: Sendable {
    let first = Atomic(0)
    let second = Atomic(0)
    let isLocked = Atomic(false)
    let ended = Atomic(0)
    let number = Mutex(0)

    func perform(_ step: Step) -> Int {
      switch step {
      case .load(0): return first.load(ordering: .relaxed)
      case .load: return second.load(ordering: .relaxed)
      case .store(0, let value): first.store(value, ordering: .releasing)
      case .store(_, let value): second.store(value, ordering: .releasing)
      case .add(0): return first.add(1, ordering: .relaxed).oldValue
      case .add: return second.add(1, ordering: .relaxed).oldValue
      case .exchange(0, let old, let new):
        return first.compareExchange(expected: old, desired: new, ordering: .relaxed).original
      case .exchange(_, let old, let new):
        return second.compareExchange(expected: old, desired: new, ordering: .relaxed).original
      case .underSpinLock:
        while isLocked.exchange(true, ordering: .acquiring) {}
        first.add(1, ordering: .relaxed)
        second.add(1, ordering: .relaxed)
        isLocked.store(false, ordering: .releasing)
      case .underMutex(let value):
        return number.withLock { number in
          let old = number
          number = 2 * number + value
          return old
        }
      case .waitForEnd(let thread):
        while ended.load(ordering: .acquiring) & 1 << thread == 0 {}
      }
      return 0
    }

    func end(_ thread: Int) { ended.bitwiseOr(1 << thread, ordering: .releasing) }

    var words: [Int] {
      [first.load(ordering: .relaxed), second.load(ordering: .relaxed), number.withLock { $0 }]
    }
  }

  /// The results of a thread's steps. Unchecked: one thread adds to it, another reads it later.
  final class Seen: @unchecked Sendable {
    var values: [Int] = []
  }

  /// The outcomes of a program's executions. Unchecked: only the body's first thread adds to it,
  /// after the other threads have ended.
  final class Outcomes: @unchecked Sendable {
    var found: Set<[Int]> = []
  }

  static func outcomes(
    of threads: [[Step]], by strategy: ExploreOption.Strategy, most: Int
  ) throws -> Set<[Int]> {
    let outcomes = Outcomes()
    try explore(.strategy(strategy), .executions(most)) {
      let world = World()
      let results = threads.map { _ in Seen() }
      onThreads(
        threads.indices.map { index in
          {
            for step in threads[index] {
              results[index].values.append(world.perform(step))
            }
            world.end(index)
          }
        })
      outcomes.found.insert(results.flatMap(\.values) + world.words)
    }
    return outcomes.found
  }

  @Test func agree() throws {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["FIRST_PROGRAM"].flatMap { UInt64($0) } ?? 1
    let count = environment["PROGRAMS"].flatMap { UInt64($0) } ?? 30
    for seed in first..<first + count {
      let threads = Self.threads(seed: seed)
      let reduced = try Self.outcomes(of: threads, by: .everyOrder, most: 100_000)
      let searched = try Self.outcomes(
        of: threads, by: .depthFirst(preemptions: nil), most: 2_000)
      let sampled = try Self.outcomes(of: threads, by: .random, most: 2_000)
      let missing = searched.union(sampled).subtracting(reduced)
      #expect(missing.isEmpty, "program \(seed) without \(missing): \(threads)")
    }
  }
}
