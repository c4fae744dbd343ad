import Foundation
import Interlock
import Synchronization

/// A number whose Mutex is taken through its section.
private final class Counted: Sendable {
  private let count = Mutex(0)
  private let section = Section("count")

  func add(to other: Counted) {
    section.write(locking: count) { mine in
      other.section.read(locking: other.count) { theirs in mine += theirs + 1 }
    }
  }
}

extension Programs {
  /// What does not go wrong, and can; or cannot.
  static let predicted: [String: Program] = [
    "both-ways": { _ in nest(crosswise: true) },
    "one-way": { _ in nest(crosswise: false) },
    "many-locks": { _ in
      // All alive at a time, and then gone in the order in which they were made.
      let outer = NSLock()
      var inner = (0..<50_000).map { _ in NSLock() }
      for lock in inner { outer.withLock { lock.withLock {} } }
      inner.removeAll()
      nest(crosswise: true)
    },
    "short-lived-locks": { _ in
      let outer = NSLock()
      for _ in 0..<100_000 { outer.withLock { NSLock().withLock {} } }
      nest(crosswise: true)
    },
    "long-hold": { _ in
      let lock = NSLock()
      lock.withLock { Thread.sleep(forTimeInterval: 0.3) }
      print("done")
    },
    "mutexes-of-sections": { _ in
      let (names, numbers) = (Counted(), Counted())
      for (outer, inner) in [(names, numbers), (numbers, names)] {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          outer.add(to: inner)
          ended.signal()
        }
        ended.wait()
      }
      print("done")
    },
    "main-queue-given-away": { _ in
      let section = Section("number")
      let isMade = DispatchSemaphore(value: 0)
      // Made by a thread that knows nothing of what the main thread writes next.
      Thread.detachNewThread {
        DispatchQueue.main.async {
          section.read {}
          print("done")
          exit(0)
        }
        isMade.signal()
      }
      isMade.wait()
      section.write {}
      dispatchMain()
    },
    "main-queue-not-asked": { _ in
      let section = Section("number")
      let isMade = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        DispatchQueue(label: "another").async {
          Thread.sleep(forTimeInterval: 0.1)
          section.read {}
          print("done")
          exit(0)
        }
        isMade.signal()
      }
      isMade.wait()
      section.write {}
      dispatchMain()
    },
  ]

  private static func nest(crosswise: Bool) {
    let names = NSLock()
    let numbers = NSLock()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      names.withLock { numbers.withLock {} }
      ended.signal()
    }
    ended.wait()
    Thread.detachNewThread {
      let (first, second) = crosswise ? (numbers, names) : (names, numbers)
      first.withLock { second.withLock {} }
      ended.signal()
    }
    ended.wait()
    print("done")
  }
}
