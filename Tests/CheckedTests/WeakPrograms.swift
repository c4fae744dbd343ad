import Foundation
import InterlockTesting
import Synchronization

/// A small program of atomics, which is explored and judged by the axioms of RC11.
struct WeakProgram {
  enum Order: CaseIterable {
    case relaxed
    case acquiring
    case releasing
    case acquiringAndReleasing
    case sequential

    var acquires: Bool {
      self == .acquiring || self == .acquiringAndReleasing || self == .sequential
    }
    var releases: Bool {
      self == .releasing || self == .acquiringAndReleasing || self == .sequential
    }
  }

  enum Operation {
    case load(Int, Order)
    case store(Int, Int, Order)
    case add(Int, Order)
    case exchange(Int, from: Int, to: Int, Order, failure: Order)
    case fence(Order)

    var location: Int? {
      switch self {
      case .load(let location, _), .store(let location, _, _), .add(let location, _),
        .exchange(let location, _, _, _, _):
        location
      case .fence: nil
      }
    }
  }

  var threads: [[Operation]]

  /// Makes a program that is small enough for the axioms: at most six operations.
  static func random(seed: UInt64) -> WeakProgram {
    var random = ExploredOutcomes.Random(state: seed)
    let count = Int.random(in: 2...3, using: &random)
    let onlySequential = seed % 4 == 0
    return WeakProgram(
      threads: (0..<count).map { _ in
        (0..<Int.random(in: 1...(count == 2 ? 3 : 2), using: &random)).map { _ in
          operation(&random, onlySequential)
        }
      })
  }

  private static func operation(
    _ random: inout ExploredOutcomes.Random, _ isSequential: Bool
  ) -> Operation {
    let location = Int.random(in: 0...1, using: &random)
    let value = Int.random(in: 1...2, using: &random)
    let kind = Int.random(in: 0..<10, using: &random)
    func order(_ orders: [Order]) -> Order {
      let drawn = orders.randomElement(using: &random)!
      return isSequential && Bool.random(using: &random) ? .sequential : drawn
    }
    switch kind {
    case 0...3: return .load(location, order([.relaxed, .acquiring, .sequential]))
    case 4...6: return .store(location, value, order([.relaxed, .releasing, .sequential]))
    case 7: return .add(location, order(Order.allCases))
    case 8:
      return .exchange(
        location, from: value - 1, to: value + 2, order(Order.allCases), failure: .relaxed)
    default: return .fence(order([.acquiring, .releasing, .acquiringAndReleasing, .sequential]))
    }
  }
}

extension WeakProgram {
  /// An atomic that the threads share.
  private final class Word: Sendable {
    let value = Atomic(0)
  }

  /// The results of a thread's operations. Unchecked: one thread adds to it, another reads it
  /// afterwards.
  private final class Seen: @unchecked Sendable {
    var values: [Int] = []
  }

  /// Runs the program once. Returns the values that its operations read, and the final atomics.
  func run() -> [Int] {
    let words = (0..<3).map { _ in Word() }
    let results = threads.map { _ in Seen() }
    onThreads(
      threads.indices.map { index in
        {
          for operation in threads[index] {
            if let value = Self.perform(operation, words) { results[index].values.append(value) }
          }
        }
      })
    return results.flatMap(\.values) + words.map { $0.value.load(ordering: .relaxed) }
  }

  private static func perform(_ operation: Operation, _ words: [Word]) -> Int? {
    switch operation {
    case .load(let word, let order): return load(words[word].value, order)
    case .store(let word, let value, let order): store(words[word].value, value, order)
    case .add(let word, let order): return add(words[word].value, order)
    case .exchange(let word, let old, let new, let order, _):
      return exchange(words[word].value, old, new, order)
    case .fence(let order): fence(order)
    }
    return nil
  }

  private static func load(_ atomic: borrowing Atomic<Int>, _ order: Order) -> Int? {
    switch order {
    case .relaxed: atomic.load(ordering: .relaxed)
    case .acquiring: atomic.load(ordering: .acquiring)
    default: atomic.load(ordering: .sequentiallyConsistent)
    }
  }

  private static func store(_ atomic: borrowing Atomic<Int>, _ value: Int, _ order: Order) {
    switch order {
    case .relaxed: atomic.store(value, ordering: .relaxed)
    case .releasing: atomic.store(value, ordering: .releasing)
    default: atomic.store(value, ordering: .sequentiallyConsistent)
    }
  }

  private static func add(_ atomic: borrowing Atomic<Int>, _ order: Order) -> Int? {
    switch order {
    case .relaxed: atomic.add(1, ordering: .relaxed).oldValue
    case .acquiring: atomic.add(1, ordering: .acquiring).oldValue
    case .releasing: atomic.add(1, ordering: .releasing).oldValue
    case .acquiringAndReleasing: atomic.add(1, ordering: .acquiringAndReleasing).oldValue
    case .sequential: atomic.add(1, ordering: .sequentiallyConsistent).oldValue
    }
  }

  private static func exchange(
    _ atomic: borrowing Atomic<Int>, _ old: Int, _ new: Int, _ order: Order
  ) -> Int? {
    switch order {
    case .relaxed:
      atomic.compareExchange(
        expected: old, desired: new, successOrdering: .relaxed, failureOrdering: .relaxed
      ).original
    case .acquiring:
      atomic.compareExchange(
        expected: old, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed
      ).original
    case .releasing:
      atomic.compareExchange(
        expected: old, desired: new, successOrdering: .releasing, failureOrdering: .relaxed
      ).original
    case .acquiringAndReleasing:
      atomic.compareExchange(
        expected: old, desired: new, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      ).original
    case .sequential:
      atomic.compareExchange(
        expected: old, desired: new, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed
      ).original
    }
  }

  private static func fence(_ order: Order) {
    switch order {
    case .acquiring: atomicMemoryFence(ordering: .acquiring)
    case .releasing: atomicMemoryFence(ordering: .releasing)
    case .acquiringAndReleasing: atomicMemoryFence(ordering: .acquiringAndReleasing)
    default: atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
  }
}
