@preconcurrency import CInterlock
import Foundation
import Synchronization
import Testing

@testable import Interlock

private struct Failure: Error, Equatable {}

/// What was told of locks, in words.
private let told = Mutex<[String]>([])

private func listen() {
  interlock_lock_told = { change, lock, _ in
    let words = ["made", "taken", "given", "destroyed"]
    told.withLock { $0.append("\(words[Int(change.rawValue)]) \(UInt(bitPattern: lock))") }
  }
}

private final class Guarded: Sendable {
  let value = Mutex(["a": 1])
  var address: UInt { withUnsafePointer(to: value) { UInt(bitPattern: $0) } }
}

/// A `Mutex` that is taken through a section. What listens is the process's, so each of those is in
/// one of its own.
struct SectionMutexTests {
  @Test("is held while the body runs, gives what it gives, and throws what it throws")
  func passesThrough() throws {
    let guarded = Guarded()
    let section = Section("mutex.passes")
    let found = section.write(locking: guarded.value) { value in
      value["b"] = 2
      #expect(guarded.value.withLockIfAvailable { _ in true } == nil)
      return value.count
    }
    #expect(found == 2)
    #expect(section.read(locking: guarded.value) { $0["b"] } == 2)
    #expect(throws: Failure()) {
      try section.write(locking: guarded.value) { (_) throws(Failure) in throw Failure() }
    }
    #expect(guarded.value.withLockIfAvailable { $0.count } == 2)
  }

  @Test("is a section: who is in it without the mutex conflicts")
  func conflicts() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      let guarded = Guarded()
      let section = Section("mutex.conflicts")
      section.write(locking: guarded.value) { _ in
        onThread { section.read {} }
      }
      onThread { section.read(locking: guarded.value) { _ in } }
      section.read(locking: guarded.value) { _ in onThread { section.read {} } }
      precondition(SectionTracking.conflicts.count == 1)
      precondition(SectionTracking.conflicts.first?.first.synched == true)
      SectionTracking.removeAll()
    }
  }

  @Test("is told as a lock: made where it is its section's first time, taken, and given back")
  func told() async {
    await #expect(processExitsWith: .success) {
      listen()
      let guarded = Guarded()
      let section = Section("mutex.told")
      section.write(locking: guarded.value) { _ in }
      section.read(locking: guarded.value) { _ in }
      let lock = guarded.address
      let once = ["taken \(lock)", "given \(lock)"]
      let heard = heardSoFar()
      precondition(heard == ["made \(lock)"] + once + once, "\(heard)")
      // Another section's mutex at this address is another.
      Section("mutex.other").write(locking: guarded.value) { _ in }
      precondition(heardSoFar() == heard + ["made \(lock)"] + once)
    }
  }
}

private func heardSoFar() -> [String] { told.withLock { $0 } }
