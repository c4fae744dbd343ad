import Explorer
import Foundation
import Interlock
public import Testing

/// An option of `explore`.
public struct ExploreOption: Sendable {
  /// What chooses the next thread.
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

  /// What chooses the next thread. Without it, `everyOrder`.
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

  /// The real time that the exploration may take, without that of others. Without it, 10 seconds.
  public static func budget(_ budget: Duration) -> Self {
    Self { options in
      let seconds = Double(budget.components.seconds) + Double(budget.components.attoseconds) / 1e18
      guard seconds > 0 else { return "a budget must be more than 0, found \(budget)" }
      options.seconds = seconds
      return nil
    }
  }

  /// The number of executions at most. Without it, as many as the budget allows.
  public static func executions(_ count: Int) -> Self {
    Self { options in
      guard count > 0 else { return "a number of executions must be at least 1, found \(count)" }
      options.executions = count
      return nil
    }
  }

  /// The threads of a pool, 1 to 255.
  ///
  /// Without it, a pool of Dispatch has 255, and that of tasks has room for all of them, so that
  /// the answer holds for every machine. If a task can block its thread, narrower pools are tried.
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
  /// Without it, a time is a lower bound, as on a real machine: a thread that sleeps, a delayed
  /// block or a timer may come after any step of other threads, and after one with a later time.
  /// Use it for code whose clock is exact by design.
  public static var exactTime: Self {
    Self { options in
      options.hasExactTime = true
      return nil
    }
  }

  /// What a load of an atomic may read.
  public enum MemoryModel: Sendable, Hashable {
    /// The newest store: atomics are sequentially consistent, whatever their orders.
    case sequential
    /// Each store that the memory orders of the code allow.
    ///
    /// The model is RC11 with the release sequences of C++20: it has what ARM and compilers do, but
    /// for loads that take effect after later stores of their thread. Source: Lahav and others,
    /// "Repairing Sequential Consistency in C/C++11", PLDI 2017.
    case weak
  }

  /// What a load of an atomic may read. Without it, `sequential`.
  ///
  /// `weak` needs a build whose memory is checked: only such code shows its atomics and their
  /// orders. Atomics of 16 bytes stay sequentially consistent.
  public static func memoryModel(_ model: MemoryModel) -> Self {
    Self { options in
      options.memoryModel = model == .weak ? .weak : .sequential
      return model == .weak ? requiresMemoryCheck.apply(&options) : nil
    }
  }

  /// Runs the executions in a child process.
  ///
  /// What the body writes to memory is lost. A body that corrupts its memory, or that kills its
  /// process, ends only the child, which is a finding. If the first order has other steps when it
  /// is executed again, the body leaves state behind, and each order has a child of its own.
  public static var isolated: Self {
    Self { options in
      options.isIsolated = true
      return nil
    }
  }

  /// Explores in this many processes at once, 1 to 64. Without it, in this one alone.
  ///
  /// The first 250 orders run in this process: a body that has no more gains nothing. Then each
  /// process takes parts of the orders, until a failure or until none is left: the answer is that
  /// of one process, and two runs show the same failure. What the body writes to memory there is
  /// lost, as with `isolated`. Depth-first search and round robin have no parts.
  public static func jobs(_ count: Int) -> Self {
    Self { options in
      guard ExplorationOptions.jobsRange.contains(count) else {
        return "a number of jobs must be 1 to 64, found \(count)"
      }
      options.jobs = count
      return nil
    }
  }

  /// Fails a test whose build does not check memory, before it explores: atomics and plain accesses
  /// that race are steps in such a build only.
  public static var requiresMemoryCheck: Self {
    Self { _ in
      MemoryRaceLog.isFed
        ? nil : "this build does not check memory: link InterlockMemory, and run \(memoryCommand)"
    }
  }

  /// Keeps failing orders in this folder, a file for each body, and tries them first next time.
  ///
  /// An order is kept by the functions and files of its calls, so that edits elsewhere leave it as
  /// it is; one that passes is removed. Without this option, the environment variable
  /// `INTERLOCK_EXPLORE_CORPUS` names the folder; without both, nothing is kept.
  public static func corpus(_ folder: String) -> Self {
    Self { options in
      guard !folder.isEmpty else { return "a corpus needs the path of a folder, found none" }
      options.corpus = folder
      return nil
    }
  }

  /// The seed of random choices. Without it, 1.
  public static func seed(_ seed: UInt64) -> Self {
    Self { options in
      options.seed = seed
      return nil
    }
  }
}

/// Runs a body once for each order in which its threads can take their steps, and records an issue
/// with the shortest failing schedule that was found.
///
/// The body is ordinary code: locks, semaphores, conditions, threads, Dispatch and tasks are
/// controlled as they are. It runs many times: it must create all state that it uses, and its
/// threads must end before it returns. An order fails if the body throws, if an expectation fails
/// on any of its threads, queues or tasks, if it deadlocks, if it traps, or if it ends the process.
/// The first failed expectation ends the order. Explorations take turns, in slices of their time.
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
///   - options: How to explore.
///   - replay: The token of a failure: only its schedule is executed.
///   - function: The test, which names the body in tokens.
///   - sourceLocation: Where a failure is reported.
///   - body: What is explored. It escapes: threads of a deadlocked execution keep what they hold.
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

/// Runs an asynchronous body once for each order in which its tasks can take their steps.
///
/// As `explore` with a synchronous body: tasks, actors, the main actor, groups, continuations,
/// streams, cancellation and sleeps are controlled as they are. The body is a task of its own,
/// which runs on a simulated pool. It inherits neither the caller's actor nor its task-local
/// values.
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
///   - options: How to explore.
///   - replay: The token of a failure: only its schedule is executed.
///   - function: The test, which names the body in tokens.
///   - sourceLocation: Where a failure is reported.
///   - body: What is explored. It escapes: tasks of a deadlocked execution keep what they hold.
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

/// Explores on the calling thread, or executes the schedule of a token only.
func answer(
  of exploration: Exploration, _ replay: String?, _ body: @escaping () -> Bool
) throws(ExploreError) -> Answer {
  // Steps show no lines of what runs the body.
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
