import Dispatch
import LockStrategies

/// What operations note as they run, from any thread.
///
/// `@unchecked Sendable`: the notes are only touched under the lock.
final class OperationLog<Note: Sendable>: @unchecked Sendable {
  private let lock = FoundationLock()
  private var stored: [Note] = []

  /// Adds a note, and says how many there are with it.
  @discardableResult
  func note(_ note: Note) -> Int {
    lock.withLock {
      stored.append(note)
      return stored.count
    }
  }

  var notes: [Note] { lock.withLock { stored } }
}

/// A door that whoever comes waits at, until it is opened for good.
final class Door: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func open() { group.leave() }

  func pass() { group.wait() }
}

/// How many are in at a time, and the most that ever were.
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
