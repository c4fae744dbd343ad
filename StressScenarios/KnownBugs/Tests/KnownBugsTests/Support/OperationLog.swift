import Dispatch
import LockStrategies

/// A log of operations as they run, on any thread.
///
/// `@unchecked Sendable`: the notes are only touched under the lock.
final class OperationLog<Note: Sendable>: @unchecked Sendable {
  private let lock = FoundationLock()
  private var stored: [Note] = []

  /// Adds a note, and returns the new number of notes.
  @discardableResult
  func note(_ note: Note) -> Int {
    lock.withLock {
      stored.append(note)
      return stored.count
    }
  }

  var notes: [Note] { lock.withLock { stored } }
}

/// A door at which callers wait until it is opened, once.
final class Door: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func open() { group.leave() }

  func pass() { group.wait() }
}

/// How many operations overlap, now and at most.
///
/// `@unchecked Sendable`: the counts are only touched under the lock.
final class Occupancy: @unchecked Sendable {
  private let lock = FoundationLock()
  private var now = 0
  private var most = 0

  func enter() {
    lock.withLock {
      now += 1
      most = max(most, now)
    }
  }

  func leave() { lock.withLock { now -= 1 } }

  var highest: Int { lock.withLock { most } }
}
