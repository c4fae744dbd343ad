import CInterlockExplorer
import Explorer
import Foundation
import TestSupport
import Testing

/// Explorations in the test process itself, beside the other tests' threads.
@Suite(.controlled, .offThePool) struct InProcessTests {
  /// The count that two threads increment, each in one locked step or in two.
  private final class Counter: @unchecked Sendable {
    // Unchecked: the lock protects the count, except between the two steps: the race to explore.
    let lock = NSLock()
    var count = 0
    let isSplit: Bool

    init(isSplit: Bool) { self.isSplit = isSplit }

    func add() {
      guard isSplit else { return lock.withLock { count += 1 } }
      let old = lock.withLock { count }
      lock.withLock { count = old + 1 }
    }

    func addTwice() -> Bool {
      var threads: [pthread_t] = []
      for _ in 0..<2 {
        var thread = pthread_t()
        pthread_create(
          &thread, nil,
          {
            Unmanaged<Counter>.fromOpaque($0!).takeUnretainedValue().add()
            return nil
          }, Unmanaged.passUnretained(self).toOpaque())
        threads.append(thread)
      }
      for thread in threads { pthread_join(thread, nil) }
      return count == 2
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func startThread(_ run: @escaping @Sendable () -> Void) -> pthread_t {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      {
        Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Work(run)).toOpaque())
    return thread
  }

  private func explore(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> Bool
  ) throws -> interlock_exploration_result {
    var options = interlock_exploration_options()
    options.executions = 100_000
    options.warm_ups = 2
    var result = interlock_exploration_result()
    let strategy = try #require(interlock_dpor_create(interlock_dpor_options()))
    // In turn: other tests of the process read their own results, which this one would overwrite.
    let status = try Explorer.Exploration.inTurn { _ in
      interlock_explore(&options, body, nil, strategy, &result)
    }
    strategy.pointee.destroy(strategy)
    #expect(status == INTERLOCK_EXPLORE_RAN)
    return result
  }

  @Test("in a test process, the order that loses an update is found", arguments: 1...4)
  func split(_ turn: Int) throws {
    let result = try explore { _ in Counter(isSplit: true).addTwice() }
    #expect(result.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(result.failures == 1)
  }

  @Test("in a test process, every order of the correct program passes", arguments: 1...4)
  func whole(_ turn: Int) throws {
    let result = try explore { _ in Counter(isSplit: false).addTwice() }
    #expect(result.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(result.is_complete)
    #expect(result.executions == 2)
  }

  @Test("shrinking reduces a failure with many switches to the switches that it needs")
  func shrinking() throws { try Explorer.Exploration.inTurn { _ in shrinkAlone() } }

  private func shrinkAlone() {
    let body: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { _ in
      let counter = Counter(isSplit: true)
      let others = [NSLock(), NSLock(), NSLock()]
      let threads = others.map { other in
        InProcessTests.startThread {
          for _ in 0..<3 { other.withLock {} }
          counter.add()
          for _ in 0..<3 { other.withLock {} }
        }
      }
      for thread in threads { pthread_join(thread, nil) }
      return counter.count == 3
    }
    func run(_ strategy: UnsafeMutablePointer<interlock_strategy>) -> interlock_exploration_result {
      var options = interlock_exploration_options()
      options.executions = 1000
      options.warm_ups = 2
      var result = interlock_exploration_result()
      interlock_explore(&options, body, nil, strategy, &result)
      return result
    }
    guard let random = interlock_random_walk_create(1) else {
      Issue.record("no memory for a strategy")
      return
    }
    let found = run(random)
    random.pointee.destroy(random)
    let choices = Array(UnsafeBufferPointer(start: found.choices_made, count: found.choice_count))
    typealias Run = (UnsafeMutablePointer<interlock_strategy>) -> UInt64
    var runOne: Run = { UInt64(run($0).failures) }
    var shrunk = withUnsafeMutablePointer(to: &runOne) { pointer in
      interlock_shrink(
        { $0!.assumingMemoryBound(to: Run.self).pointee($1!) }, nil, pointer, choices,
        choices.count, 2000)
    }
    defer { interlock_schedule_destroy(&shrunk.schedule) }
    #expect(shrunk.is_failing)
    // One preemption: away from the thread that has read the counter, and back to it.
    #expect(shrunk.preemptions == 1)
  }

  @Test("a token with an access of memory that this build does not have is refused")
  func goneAccess() {
    var accesses: [UInt64] = [1 << 32]
    let token = accesses.withUnsafeMutableBufferPointer { accesses in
      var schedule = interlock_schedule(
        choices: nil, count: 0, capacity: 0, accesses: accesses.baseAddress, access_count: 1)
      var text = [CChar](repeating: 0, count: 100)
      interlock_token_write(&text, text.count, "a body", 0, &schedule)
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    #expect {
      try Explorer.Exploration(ExplorationOptions(), of: "a body").replay(token) { true }
    } throws: { error in
      "\(error)".contains("does not fit any more: the function of an access of memory")
    }
  }

  @Test("an exploration within an explored body is refused")
  func nested() throws {
    let result = try explore { _ in
      var options = interlock_exploration_options()
      var result = interlock_exploration_result()
      guard let strategy = interlock_random_walk_create(1) else { return false }
      let status = interlock_explore(&options, { _ in true }, nil, strategy, &result)
      strategy.pointee.destroy(strategy)
      return status == INTERLOCK_EXPLORE_NESTED
    }
    #expect(result.verdict == INTERLOCK_EXPLORED_PASSED)
  }
}
