import Dispatch
import Foundation
import Interlock
import Testing

/// Two sections that overlap in every run.
final class Meeting: Sendable {
  private let section: Section
  private let isOpen = DispatchSemaphore(value: 0)
  private let hasMet = DispatchSemaphore(value: 0)

  init(_ name: String) { section = Section(name) }

  func first() {
    section.write {
      isOpen.signal()
      hasMet.wait()
    }
  }

  func second() {
    isOpen.wait()
    section.write {}  // meets
    hasMet.signal()
  }

  /// Runs both sections, each on a thread that the caller makes.
  func onThreads() {
    let ended = DispatchGroup()
    for work in [first, second] {
      ended.enter()
      Thread.detachNewThread {
        work()
        ended.leave()
      }
    }
    ended.wait()
  }

  /// Runs both sections, each on a thread that a block makes.
  func inBlocks() {
    let ended = DispatchGroup()
    for work in [first, second] {
      ended.enter()
      DispatchQueue.global().async {
        Thread.detachNewThread {
          work()
          ended.leave()
        }
      }
    }
    ended.wait()
  }

  /// Runs both sections, each in a task with its own executor: no thread of the pool is blocked.
  func inTasks() async {
    await withTaskGroup(of: Void.self) { group in
      for work in [first, second] {
        group.addTask(executorPreference: OwnThread()) { work() }
      }
    }
  }
}

/// An executor with a thread for each job.
final class OwnThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }.start()
  }
}

/// Threads that no test has made: they begin before the tests.
enum Outsiders {
  private static let meeting = Meeting("of outsiders")
  private static let begin = DispatchSemaphore(value: 0)
  private static let ended = DispatchSemaphore(value: 0)

  static func start() {
    for work in [meeting.first, meeting.second] {
      Thread.detachNewThread {
        begin.wait()
        work()
        ended.signal()
      }
    }
  }

  /// Lets the two threads overlap, and waits until they have.
  static func meet() {
    for _ in 0..<2 { begin.signal() }
    for _ in 0..<2 { ended.wait() }
  }
}

/// A thread that no test has made. Its blocks run on the pool's threads after blocks of tests.
enum Bystander {
  private static let begin = DispatchSemaphore(value: 0)
  private static let end = DispatchSemaphore(value: 0)
  // `NSLock`, because an exploration of code in this module would not control a `Mutex`.
  private static let lock = NSLock()
  nonisolated(unsafe) private static var names: Set<String> = []

  static func start() {
    Thread.detachNewThread {
      begin.wait()
      for _ in 0..<64 {
        DispatchQueue.global().async {
          lock.withLock { names.formUnion([Test.current?.name].compactMap(\.self)) }
          end.signal()
        }
      }
    }
  }

  /// The names of the tests that Swift Testing finds current in the blocks.
  static func testsOfItsBlocks() -> Set<String> {
    begin.signal()
    for _ in 0..<64 { end.wait() }
    return lock.withLock { names }
  }
}

/// Makes two tests run at the same time.
final class Rendezvous: Sendable {
  private let arrived = DispatchGroup()

  init() {
    arrived.enter()
    arrived.enter()
  }

  /// Lets the other test continue.
  func leave() { arrived.leave() }

  /// Waits for the other test.
  func arrive() async {
    leave()
    await withCheckedContinuation { continuation in
      arrived.notify(queue: .global()) { continuation.resume() }
    }
  }
}
