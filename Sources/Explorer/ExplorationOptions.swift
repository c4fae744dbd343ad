/// How a body is explored.
package struct ExplorationOptions: Sendable, Hashable, Codable {
  /// What chooses the next thread.
  package enum Strategy: Sendable, Hashable, Codable {
    /// Every order that matters, within the budget; then sampling.
    case everyOrder
    /// Depth-first search; `nil` is without a bound of preemptions.
    case depthFirst(preemptions: Int?)
    /// A random thread at each choice.
    case random
    /// Random priorities that change at `depth` - 1 steps (Burckhardt and others, ASPLOS 2010).
    case pct(depth: Int)
    /// Random priorities of operations, drawn anew as they race (Yuan, Yang, Gu, CAV 2018).
    case pos
    /// Uniform over the orders of one object's operations (Zhao and others, ASPLOS 2025).
    case surw
    /// Each thread in its turn, with turns of 1, 2, … steps.
    case roundRobin
    /// Each thread until it waits or yields, then the one that could run for the longest time.
    case inTurn
  }

  /// The stores that a load of an atomic may read, in code whose memory is checked.
  package enum MemoryModel: String, Sendable, Hashable, Codable, CaseIterable {
    /// The newest store.
    case sequential
    /// Each store that the memory orders allow (RC11).
    case weak
  }

  /// What chooses the next thread.
  package var strategy = Strategy.everyOrder
  /// Seconds of real time at most.
  package var seconds = 10.0
  /// Executions at most; `nil` is as many as the time allows.
  package var executions: Int?
  /// Threads of a pool; `nil` is 255 for Dispatch, and room for all tasks. If a task can block its
  /// thread, narrower pools are tried as well then.
  package var poolWidth: Int?
  /// Threads of the pool of tasks alone; `nil` is as `poolWidth` says.
  var taskWidth: Int?
  /// Whether time passes only when no thread can continue, in the order of the times. Otherwise a
  /// time is a lower bound, and its lateness a choice.
  package var hasExactTime = false
  /// How often a loop yields in a row while others can run.
  var yieldsInARow = Self.fewYields
  /// Enough for what other threads do to matter between two of them.
  static let fewYields = 3
  /// Tests that yield some ten times where they should wait fail.
  static let manyYields = 64
  /// What a load of an atomic may read.
  package var memoryModel = MemoryModel.sequential
  /// Memory orders to take in place of the code's, by the address of the call.
  var memoryOrders: [UInt: MemoryOrder] = [:]
  /// The seed of a strategy's random choices.
  package var seed: UInt64 = 1
  /// Steps of one execution at most.
  package var steps = 1_000_000

  /// Steps of one execution that the strategy chooses, after which a fair schedule does; `nil` is
  /// `steps`.
  package var chosenSteps: Int?

  /// Whether the body runs on the main thread: no block of the main queue runs beside it, but while
  /// it polls its run loop.
  package var bodyIsMain = false
  /// Whether executions run in a child process, so that one that corrupts its memory ends only the
  /// child.
  package var isIsolated = false
  /// Whether each execution runs in a child process of its own, and so finds globals as they were
  /// before the first.
  package var isolatesEach = false
  /// Whether the first order is executed again, to see whether the body leaves state behind.
  var checksState = true
  /// Whether the body may depend on its surroundings: a failure that may have another cause than
  /// the order is left as it was found. An execution ends where it starts a process, or waits for
  /// what is not controlled, and a step has 2 seconds at most.
  package var leavesDoubts = false
  /// The folder of the failing orders of earlier runs; `nil` for none.
  package var corpus: String?
  /// Seconds after which other explorations of the process may run; `nil` is a quarter.
  package var slice: Double?
  /// Which part of the orders is explored; `nil` for all.
  package var part: Part?
  /// Whether to say where the orders come from also if all pass; `nil` for no.
  package var explainsOrders: Bool?
  /// How many processes explore at once; `nil` for this one alone.
  package var jobs: Int?

  /// How many processes can explore at once.
  package static let jobsRange = 1...64

  /// One of several parts of the orders, each of which another machine can explore. All parts
  /// together have every order that matters; samples of a part are drawn by a seed of its own.
  package struct Part: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Its number, from 1.
    package var number: Int
    /// How many there are.
    package var count: Int

    /// A part of several.
    package init(number: Int, count: Int) {
      self.number = number
      self.count = count
    }

    /// `part 2 of 4`.
    package var description: String { "part \(number) of \(count)" }
  }

  /// Whether another pool is tried as soon as the body may starve there, for a few orders.
  var triesPoolsEarly: Bool {
    poolWidth == nil && taskWidth == nil && part == nil && executions == nil
  }

  /// The defaults.
  package init() {}
}
