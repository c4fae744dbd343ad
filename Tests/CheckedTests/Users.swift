import CInterlockMemory
import Foundation
import Synchronization

/// A number of two threads or tasks. Unchecked: the lock that should guard it is missing.
final class Users: @unchecked Sendable {
  private var count = 0
  private let lock = NSLock()

  var total: Int { count }

  func add() {
    count += 1  // races
  }

  func addAgain() {
    count += 1  // races again
  }

  func addLocked() { lock.withLock { count += 1 } }
}

/// The two sides of a race, in two tests. They tell each other the time by relaxed atomics, which
/// order nothing.
enum Sides {
  static let users = Users()
  private static let step = Atomic(0)

  /// Adds at its turn, and returns when the others have added. On a thread: a task that sleeps and
  /// one that wakes may be ordered by the thread that has the timers of both.
  static func add(turn: Int, of count: Int) async {
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        while step.load(ordering: .relaxed) < turn { usleep(1000) }
        users.add()
        step.wrappingAdd(1, ordering: .relaxed)
        while step.load(ordering: .relaxed) < count { usleep(1000) }
        done.resume()
      }
    }
  }
}

/// Lets the tests that run at once wait for each other, again and again.
enum Crowd {
  private static let count = 2
  private static let arrived = Atomic(0)

  /// Returns when as many as there are tests have called it. By relaxed atomics, which order
  /// nothing.
  static func arrive() async {
    let turn = arrived.wrappingAdd(1, ordering: .relaxed).oldValue / count + 1
    while arrived.load(ordering: .relaxed) < turn * count {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}

/// Two threads that no test has made, and that race while tests run.
enum Outsiders {
  private static let users = Users()
  private static let step = Atomic(0)
  private static let arrived = Atomic(0)

  static func start() {
    for turn in [1, 2] {
      Thread.detachNewThread {
        while step.load(ordering: .relaxed) < turn { usleep(1000) }
        users.add()
        step.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  /// Returns when both have added, which they begin once two tests have called it.
  static func run() async throws {
    let tests = arrived.wrappingAdd(1, ordering: .relaxed).newValue
    if tests == 2 { step.store(1, ordering: .relaxed) }
    while step.load(ordering: .relaxed) < 3 { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Ends the process while a thread makes the second access of a race, whose report takes longer.
enum LastRace {
  private static let users = Users()
  private static let isWritten = Atomic(false)

  static func run() -> Never {
    // The first use initialises it, and comes before all uses on other threads.
    isWritten.store(false, ordering: .relaxed)
    Thread.detachNewThread {
      while !isWritten.load(ordering: .relaxed) { sched_yield() }
      users.add()
    }
    users.add()
    isWritten.store(true, ordering: .relaxed)
    while interlock_memory_races() == 0 { sched_yield() }
    exit(0)
  }
}

/// Has two threads call a function, and waits for both.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) { onThreads([body, body]) }

/// Has a thread call each function, and waits for all.
func onThreads(_ bodies: [@Sendable () -> Void]) {
  let ended = DispatchGroup()
  for body in bodies {
    ended.enter()
    Thread.detachNewThread {
      body()
      ended.leave()
    }
  }
  ended.wait()
}

/// The token that the text of an issue ends with.
final class Token: Sendable {
  private let found = Mutex<String?>(nil)

  var text: String? { found.withLock { $0 } }

  /// Whether the text has a token, and the same as the last one.
  func read(_ text: String) -> Bool {
    guard let match = text.firstMatch(of: /replay: explore\(replay: "([^"]+)"\)/) else {
      return false
    }
    return found.withLock { found in
      defer { found = String(match.1) }
      return found == nil || found == String(match.1)
    }
  }
}
