import Explorer
import Foundation
import Interlock
public import Testing

/// An option of `explore`.
public struct ExploreOption: Sendable {
  /// How the next thread is chosen.
  public enum Strategy: Sendable, Hashable {
    /// Every order that matters, within the budget; then random orders.
    case everyOrder
    /// Depth-first search with at most this many preemptions; `nil` for no bound.
    case depthFirst(preemptions: Int?)
    /// A random thread at each choice.
    case random
    /// Random priorities that change at `depth` - 1 steps.
    ///
    /// Finds a bug that needs `depth` steps in one order with a known probability. Source:
    /// Burckhardt and others, "A Randomized Scheduler with Probabilistic Guarantees of Finding
    /// Bugs", ASPLOS 2010.
    case pct(depth: Int)
    /// Random priorities of operations. Source: Yuan, Yang, Gu, "Partial Order Aware Concurrency
    /// Sampling", CAV 2018.
    case pos
    /// Uniform over the orders of one object's operations. Source: Zhao, Wolff, Mathur,
    /// Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.
    case surw
    /// Each thread in its turn, with turns of 1, 2, … steps.
    case roundRobin
  }

  let apply: @Sendable (inout ExplorationOptions) -> String?

  /// How the next thread is chosen. `everyOrder` by default.
  public static func strategy(_ strategy: Strategy) -> Self {
    Self { options in
      switch strategy {
      case .everyOrder: options.strategy = .everyOrder
      case .depthFirst(let bound):
        if let bound, bound < 0 {
          return "a bound of preemptions must be at least 0, found \(bound)"
        }
        options.strategy = .depthFirst(preemptions: bound)
      case .random: options.strategy = .random
      case .pct(let depth):
        guard (1...32).contains(depth) else { return "pct's depth must be 1 to 32, found \(depth)" }
        options.strategy = .pct(depth: depth)
      case .pos: options.strategy = .pos
      case .surw: options.strategy = .surw
      case .roundRobin: options.strategy = .roundRobin
      }
      return nil
    }
  }

  /// The real time for the exploration, without waiting for other explorations. 10 seconds by
  /// default.
  public static func budget(_ budget: Duration) -> Self {
    Self { options in
      let seconds = Double(budget.components.seconds) + Double(budget.components.attoseconds) / 1e18
      guard seconds > 0 else { return "a budget must be more than 0, found \(budget)" }
      options.seconds = seconds
      return nil
    }
  }

  /// The most executions. By default, as many as the budget allows.
  public static func executions(_ count: Int) -> Self {
    Self { options in
      guard count > 0 else { return "a number of executions must be at least 1, found \(count)" }
      options.executions = count
      return nil
    }
  }

  /// The number of threads of a pool, 1 to 255.
  ///
  /// By default a Dispatch pool has 255 threads, and the task pool has room for all tasks, so that
  /// the result holds on every machine. If a task can block its thread, narrower pools are tried as
  /// well.
  public static func poolWidth(_ width: Int) -> Self {
    Self { options in
      guard (1...255).contains(width) else {
        return "a pool's width must be 1 to 255, found \(width)"
      }
      options.poolWidth = width
      return nil
    }
  }

  /// Times are exact: time passes only when no thread can continue, in the order of the times.
  ///
  /// By default, a time is a lower bound, as on a real machine: a sleeping thread, a delayed block
  /// or a timer may continue after any step of another thread, even after one with a later time.
  /// Use exact times for code whose clock is exact by design.
  public static var exactTime: Self {
    Self { options in
      options.hasExactTime = true
      return nil
    }
  }

  /// The stores that an atomic load may read.
  public enum MemoryModel: Sendable, Hashable {
    /// Only the newest store: atomics are sequentially consistent, whatever their memory orders.
    case sequential
    /// Any store that the memory orders of the code allow.
    ///
    /// The model is RC11 with the release sequences of C++20. It covers what ARM processors and
    /// compilers do, except for loads that take effect after later stores of their thread. Source:
    /// Lahav and others, "Repairing Sequential Consistency in C/C++11", PLDI 2017.
    case weak
  }

  /// The stores that an atomic load may read. `sequential` by default.
  ///
  /// `weak` needs a build with memory checks: only such a build shows atomics and their memory
  /// orders. Atomics of 16 bytes stay sequentially consistent.
  public static func memoryModel(_ model: MemoryModel) -> Self {
    Self { options in
      options.memoryModel = model == .weak ? .weak : .sequential
      return model == .weak ? requiresMemoryCheck.apply(&options) : nil
    }
  }

  /// Runs the executions in a child process.
  ///
  /// Memory that the body changes stays in the child and is lost. A body that corrupts its memory
  /// or kills its process ends only the child, and is reported. If the first order takes different
  /// steps when it is executed again, the body leaves state behind, and each order gets its own
  /// child.
  public static var isolated: Self {
    Self { options in
      options.isIsolated = true
      return nil
    }
  }

  /// Explores in this many processes at once, 1 to 64. One process by default.
  ///
  /// The first 250 orders run in this process, so a body with fewer orders gains nothing. Then each
  /// process takes parts of the orders, until one fails or none is left. The result equals that of
  /// one process, and two runs show the same failure. Memory that the body changes in the other
  /// processes is lost, as with `isolated`. Depth-first search and round robin cannot be divided.
  public static func jobs(_ count: Int) -> Self {
    Self { options in
      guard ExplorationOptions.jobsRange.contains(count) else {
        return "a number of jobs must be 1 to 64, found \(count)"
      }
      options.jobs = count
      return nil
    }
  }

  /// Fails a test before it explores if the build does not check memory. Atomics and racing plain
  /// accesses are steps only in a build that checks memory.
  public static var requiresMemoryCheck: Self {
    Self { _ in
      MemoryRaceLog.isFed
        ? nil : "this build does not check memory: link InterlockMemory, and run \(memoryCommand)"
    }
  }

  /// Keeps failing orders in this folder, in one file for each body, and tries them first next
  /// time.
  ///
  /// A kept order identifies calls by function and file, so edits elsewhere do not invalidate it.
  /// An order that passes is removed. By default the environment variable
  /// `INTERLOCK_EXPLORE_CORPUS` names the folder; without the variable, no order is kept.
  public static func corpus(_ folder: String) -> Self {
    Self { options in
      guard !folder.isEmpty else { return "a corpus needs the path of a folder, found none" }
      options.corpus = folder
      return nil
    }
  }

  /// The seed of random choices. 1 by default.
  public static func seed(_ seed: UInt64) -> Self {
    Self { options in
      options.seed = seed
      return nil
    }
  }
}

/// Executes a body once for each order in which its threads can take steps, and records an issue
/// with the shortest failing schedule found.
///
/// The body is ordinary code: locks, semaphores, conditions, threads, Dispatch and tasks are
/// controlled without changes. The body runs many times: it must create all state that it uses, and
/// its threads must end before it returns. An order fails if the body throws, if an expectation
/// fails on any of its threads, queues or tasks, if it deadlocks, if it traps, or if it ends the
/// process. The first failed expectation ends the order. Explorations take turns, in slices of
/// their time.
///
///     @Test func transfersKeepTheSum() throws {
///       try explore {
///         let bank = Bank(accounts: 2)
///         …
///         #expect(bank.total == 200)
///       }
///     }
///
/// - Parameters:
///   - options: The options of the exploration.
///   - replay: The token of a failure: executes only its schedule.
///   - function: The test function, which identifies the body in tokens.
///   - sourceLocation: The location at which a failure is recorded.
///   - body: The body to explore. It escapes: threads of a deadlocked execution keep what they
///     hold.
/// - Throws: `ExploreError` if nothing was explored.
public func explore(
  _ options: ExploreOption..., replay: String? = nil,
  function: String = #function, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping () throws -> Void
) throws {
  let exploration = Exploration(
    try settings(options), of: "\(sourceLocation.fileID) \(function)", around: watchIssues)
  report(
    try answer(of: exploration, replay) { attempt(body) }, ExploredPlace(sourceLocation))
}

/// Executes an asynchronous body once for each order in which its tasks can take steps.
///
/// Like `explore` with a synchronous body: tasks, actors, the main actor, groups, continuations,
/// streams, cancellation and sleeps are controlled without changes. The body runs as its own task
/// on a simulated pool. It inherits neither the caller's actor nor its task-local values.
///
///     @Test func withdrawalsKeepTheBalance() async throws {
///       try await explore {
///         let account = Account(balance: 100)
///         async let first = account.withdraw(80)
///         async let second = account.withdraw(80)
///         _ = await (first, second)
///         #expect(await account.balance >= 0)
///       }
///     }
///
/// - Parameters:
///   - options: The options of the exploration.
///   - replay: The token of a failure: executes only its schedule.
///   - function: The test function, which identifies the body in tokens.
///   - sourceLocation: The location at which a failure is recorded.
///   - body: The body to explore. It escapes: tasks of a deadlocked execution keep what they hold.
/// - Throws: `ExploreError` if nothing was explored.
public func explore(
  _ options: ExploreOption..., replay: String? = nil,
  function: String = #function, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () async throws -> Void
) async throws {
  let exploration = Exploration(
    try settings(options), of: "\(sourceLocation.fileID) \(function)", around: watchIssues,
    bodyIsTask: true)
  let outcome = try await onThread { () throws(ExploreError) in
    try answer(of: exploration, replay) { attempt(body) }
  }
  report(outcome, ExploredPlace(sourceLocation))
}

func settings(_ options: [ExploreOption]) throws(ExploreError) -> ExplorationOptions {
  var settings = ExplorationOptions()
  settings.corpus = ProcessInfo.processInfo.environment["INTERLOCK_EXPLORE_CORPUS"]
  for option in options {
    if let error = option.apply(&settings) { throw ExploreError(description: error) }
  }
  return settings
}

/// Explores on the calling thread, or executes the schedule of a token.
func answer(
  of exploration: Exploration, _ replay: String?, _ body: @escaping () -> Bool
) throws(ExploreError) -> Answer {
  // Exclude the library's own frames from the places of steps.
  OwnCode.register(OwnCode.interlockTesting)
  do throws(ExplorationRefusal) {
    if let replay {
      return Answer(outcome: try exploration.replay(replay, body), isReplay: true)
    }
    var notes: [Exploration.Note] = []
    let outcome = try exploration.run(body) { notes.append($0) }
    return Answer(outcome: outcome, notes: notes, corpusFile: exploration.corpusFile)
  } catch {
    throw ExploreError(description: error.description)
  }
}

/// Why `explore` explored nothing, in one line.
public struct ExploreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason.
  public let description: String
}
