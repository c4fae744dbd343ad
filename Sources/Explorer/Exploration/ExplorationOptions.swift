/// The options of an exploration.
package struct ExplorationOptions: Sendable, Hashable, Codable {
  /// How the next thread is chosen.
  package enum Strategy: Sendable, Hashable, Codable {
    /// Every order that matters within the budget; then sampling.
    case everyOrder
    /// Depth-first search; `nil` sets no bound on preemptions.
    case depthFirst(preemptions: Int?)
    /// A random thread at each choice.
    case random
    /// Random priorities that change at `depth` - 1 steps (Burckhardt and others, ASPLOS 2010).
    case pct(depth: Int)
    /// Random priorities of operations, drawn anew as they race (Yuan, Yang, Gu, CAV 2018).
    case pos
    /// Uniform over the orders of one object's operations (Zhao and others, ASPLOS 2025).
    case surw
    /// Round robin, with turns of 1, 2, … steps.
    case roundRobin
    /// Run each thread until it waits or yields, then the one that has been able to run the
    /// longest.
    case inTurn
  }

  /// The stores that a load of an atomic may read, in code whose memory is checked.
  package enum MemoryModel: String, Sendable, Hashable, Codable, CaseIterable {
    /// Only the newest store.
    case sequential
    /// Any store that the memory orders allow (RC11).
    case weak
  }

  /// How the next thread is chosen.
  package var strategy = Strategy.everyOrder
  /// The time limit in seconds of real time.
  package var seconds = 10.0
  /// The limit of executions; `nil` sets none besides the time.
  package var executions: Int?
  /// The number of threads of a pool. `nil` is 255 for Dispatch and room for all tasks; if a task
  /// can block its thread, narrower pools are then tried as well.
  package var poolWidth: Int?
  /// The number of threads of the task pool alone; `nil` takes it from `poolWidth`.
  var taskWidth: Int?
  /// If true, time passes only when no thread can continue, and timers fire in their order.
  /// Otherwise a time is a lower bound, and an order chooses how late it ends.
  package var hasExactTime = false
  /// How many times in a row a loop may yield while other threads can run.
  var yieldsInARow = Self.fewYields
  /// Enough yields for another thread's steps between two of them to matter.
  static let fewYields = 3
  /// Enough yields to fail a test that yields some ten times where it should wait.
  static let manyYields = 64
  /// The stores that an atomic load may read.
  package var memoryModel = MemoryModel.sequential
  /// Memory orders that replace those of the code, by the address of the call.
  var memoryOrders: [UInt: MemoryOrder] = [:]
  /// The seed of a strategy's random choices.
  package var seed: UInt64 = 1
  /// The limit of steps of one execution.
  package var steps = 1_000_000

  /// The number of steps of one execution that the strategy chooses; a fair scheduler chooses the
  /// later ones. `nil` is `steps`.
  package var chosenSteps: Int?

  /// True if the body runs on the main thread: then blocks of the main queue run only while the
  /// body polls its run loop.
  package var bodyIsMain = false
  /// True if executions run in a child process: an execution that corrupts its memory ends only the
  /// child.
  package var isIsolated = false
  /// True if each execution runs in its own child process, and finds globals in their initial
  /// state.
  package var isolatesEach = false
  /// True if the first order is executed twice, to detect a body that leaves state behind.
  var checksState = true
  /// True if the body may depend on its surroundings. A failure with another possible cause than
  /// the order is then reported as found. An execution ends where it starts a process or waits for
  /// something uncontrolled, and a step may take 2 seconds.
  package var leavesDoubts = false
  /// The folder of the corpus of failing orders; `nil` for none.
  package var corpus: String?
  /// Seconds after which other explorations in this process may run; `nil` is 0.25.
  package var slice: Double?
  /// The part of the orders to explore; `nil` for all.
  package var part: Part?
  /// True if the report names the sources of orders even if all pass; `nil` is false.
  package var explainsOrders: Bool?
  /// The number of processes that explore at once; `nil` for this process alone.
  package var jobs: Int?

  /// The allowed numbers of processes.
  package static let jobsRange = 1...64

  /// One of several parts of the orders, for one of several machines. The parts together have every
  /// order that matters; each part samples with a seed of its own.
  package struct Part: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of the part, from 1.
    package var number: Int
    /// The number of parts.
    package var count: Int

    /// A part of several.
    package init(number: Int, count: Int) {
      self.number = number
      self.count = count
    }

    /// `part 2 of 4`.
    package var description: String { "part \(number) of \(count)" }
  }

  /// True if another pool is tried for a few orders as soon as the body may starve on it.
  var triesPoolsEarly: Bool {
    poolWidth == nil && taskWidth == nil && part == nil && executions == nil
  }

  /// Creates the default options.
  package init() {}
}
