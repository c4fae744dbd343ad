import CInterlockExplorer
import Foundation
import TestSupport
import Testing

/// Explorations in the test process itself, beside the other tests' threads.
@Suite(.controlled, .offThePool) struct InProcessTests {
  /// What two threads add to, each in two locked steps or in one.
  private final class Counter: @unchecked Sendable {
    // Unchecked: the lock protects the count, except between the steps, which is what is explored.
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

  private func explore(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> Bool
  ) throws -> interlock_exploration_result {
    var options = interlock_exploration_options()
    options.executions = 100_000
    options.warm_ups = 2
    var result = interlock_exploration_result()
    let strategy = try #require(interlock_dpor_create(interlock_dpor_options()))
    let status = interlock_explore(&options, body, nil, strategy, &result)
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

  @Test("a body that explores is refused")
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
