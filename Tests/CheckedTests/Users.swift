import CInterlockMemory
import Foundation
import Synchronization

/// A number that two threads or tasks change. Unchecked: the lock that should protect it is absent.
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

/// The two sides of a race, in two tests. The tests take turns by relaxed atomics, which order
/// nothing.
enum Sides {
  static let users = Users()
  private static let step = Atomic(0)

  /// Adds at its turn, and returns when the other tests have added. Runs on a thread: if a task
  /// sleeps and another one wakes, the thread with the timers of both may order them.
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

/// Lets the tests that run at the same time wait for each other repeatedly.
enum Crowd {
  private static let count = 2
  private static let arrived = Atomic(0)

  /// Returns when as many callers have arrived as there are tests. Relaxed atomics, which order
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

  /// Returns when both threads have added; they begin once two tests have called this.
  static func run() async throws {
    let tests = arrived.wrappingAdd(1, ordering: .relaxed).newValue
    if tests == 2 { step.store(1, ordering: .relaxed) }
    while step.load(ordering: .relaxed) < 3 { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Ends the process while a thread makes the second access of a race. The report takes longer.
enum LastRace {
  private static let users = Users()
  private static let isWritten = Atomic(false)

  static func run() -> Never {
    // The first use initialises the flag, before any use on another thread.
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

/// Calls a function on two threads, and waits for both.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) { onThreads([body, body]) }

/// Calls each function on a thread, and waits for all threads.
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

/// The token at the end of an issue's text.
final class Token: Sendable {
  private let found = Mutex<String?>(nil)

  var text: String? { found.withLock { $0 } }

  /// True if the text has a token that equals the previous one, if there is one.
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
