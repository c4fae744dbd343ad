import CInterlockAnalysis
import CInterlockEvents
import Foundation
import Interlock
import SyncEventsTestC

/// The programs of the test child.
enum Programs {
  /// A program. Its parameter is the list of arguments after its name.
  typealias Program = @Sendable ([String]) -> Void

  /// The programs by their names.
  static let all: [String: Program] = robustness.merging(hangs) { $1 }.merging(quiet) { $1 }
    .merging(predicted) { $1 }.merging(mainThread) { $1 }.merging(ordered) { $1 }
    .merging(codes) { $1 }
    .merging(reported) { $1 }.merging(leaking) { $1 }.merging(nested) { $1 }
    .merging(lockOrders) { $1 }

  /// Conditions that the interposed calls must survive. Each program prints what the test checks.
  private static let robustness: [String: Program] = [
    "before-main": { _ in
      print(sync_events_heard_before_constructors(), sync_events_heard_in_constructor())
    },
    "fork": { arguments in
      _ = interlock_waits_start()
      print(sync_events_fork(number(arguments, 0), Int32(number(arguments, 1))))
    },
    "hash-tables": { _ in
      let before = ordersOfSets().count
      let were = interlock_hash_tables_by_size(true)
      let meanwhile = ordersOfSets().count
      print(before, meanwhile, were, interlock_hash_tables_by_size(were), ordersOfSets().count)
    },
    "layouts-in-fork": { _ in print(sync_events_layouts_hold_in_fork()) },
    "mixed-readers": { _ in print(sync_events_mixed_readers()) },
    "fork-in-locks": { arguments in print(sync_events_fork_in_locks(number(arguments, 0))) },
    "post-while-loading": { arguments in
      print(sync_events_post_while_loading(arguments.first ?? ""))
    },
    "signals": { _ in
      _ = interlock_waits_start()
      print(sync_events_signal_storm(1, 150))
    },
    "handlers": { _ in print(sync_events_handlers_are_kept()) },
    "late-stack": { _ in print(sync_events_late_stack()) },
    "direct-lock-events": { _ in print(sync_events_direct_lock_events()) },
    "own-locks": { arguments in
      precondition(sync_events_take_own_locks(arguments.first ?? ""))
      print("done")
    },
    "thread-end": { arguments in
      _ = interlock_waits_start()
      let locks = sync_events_locks_at_thread_end(number(arguments, 0))
      print(locks, interlock_waits_threads(nil, 0))
    },
    "crowd": { arguments in
      _ = interlock_waits_start()
      let blocks = sync_events_many_threads(number(arguments, 0), number(arguments, 1))
      print(blocks, interlock_waits_threads(nil, 0), interlock_waits_is_partial())
    },
    "refused-threads": { _ in
      _ = interlock_waits_start()
      for _ in 0..<3 { print(sync_events_refused_thread() == EAGAIN) }
    },
    "late": { arguments in
      _ = interlock_waits_start()
      print(sync_events_open_late(arguments.first ?? ""))
    },
    "blocks": { arguments in blocks(number(arguments, 0), isSeen: arguments.last == "seen") },
    "unread": { _ in unread() },
    "swift-mutex": { _ in swiftMutex() },
    "bypass": { _ in bypass() },
    "option-tables": { _ in printOptionTables() },
  ]

  static func number(_ arguments: [String], _ index: Int) -> Int32 {
    arguments.indices.contains(index) ? Int32(arguments[index]) ?? 0 : 0
  }

  /// Queues blocks, and prints the bytes by which the process grew and the number of listed blocks.
  private static func blocks(_ count: Int32, isSeen: Bool) {
    if isSeen { _ = interlock_waits_start() }
    let queue = DispatchQueue(label: "many")
    let ran = Counter()
    queue.suspend()
    let before = sync_events_resident_bytes()
    for _ in 0..<count { queue.async { ran.add() } }
    let after = sync_events_resident_bytes()
    var views = [interlock_queue_view](repeating: interlock_queue_view(), count: 1024)
    let known = min(interlock_waits_queues(&views, views.count), views.count)
    let listed = views.prefix(known).map(\.queued).max() ?? 0
    queue.resume()
    queue.sync {}
    print(after - before, listed, ran.value)
  }

  /// Locks, waits and dispatches without a reader, and prints what was recorded.
  private static func unread() {
    let lock = NSLock()
    let queue = DispatchQueue(label: "unread")
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<1000 {
      lock.lock()
      queue.async { done.signal() }
      lock.unlock()
      done.wait()
    }
    print(
      interlock_waits_started(), interlock_waits_progress(), interlock_waits_threads(nil, 0),
      interlock_waits_queues(nil, 0))
  }

  /// Runs a task, with the main thread serving the main queue, and ends the process when the task
  /// has ended.
  static func runTask(_ body: @escaping @Sendable () async -> Void) -> Never {
    Task {
      await body()
      exit(0)
    }
    dispatchMain()
  }

  /// A count that only one thread at a time changes.
  private final class Counter: @unchecked Sendable {
    // Unchecked: blocks of a serial queue add, and the count is read after them.
    private(set) var value = 0
    func add() { value += 1 }
  }
}

/// The orders of the elements in eight sets of the same eight texts.
private func ordersOfSets() -> Set<[String]> {
  // All sets exist at once, so that each has a different address.
  let sets = (0..<8).map { _ in Set((0..<8).map { "text \($0)" }) }
  return Set(sets.map(Array.init))
}
