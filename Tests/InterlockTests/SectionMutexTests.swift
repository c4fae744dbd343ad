@preconcurrency import CMarks
import Foundation
import Synchronization
import Testing

@testable import Interlock

private struct Failure: Error, Equatable {}

/// The recorded lock events, as text.
private let told = Mutex<[String]>([])

private func listen() {
  interlock_listen_to_locks { change, lock, _ in
    let words = ["made", "taken", "given", "destroyed", "not known"]
    told.withLock { $0.append("\(words[Int(change.rawValue)]) \(UInt(bitPattern: lock))") }
  }
}

private final class Guarded: Sendable {
  let value = Mutex(["a": 1])
  var address: UInt { withUnsafePointer(to: value) { UInt(bitPattern: $0) } }
}

/// A `Mutex` locked through a section. The listener is process-wide, so each test that sets one
/// runs in a separate process.
struct SectionMutexTests {
  @Test("a section's mutex is held while the body runs, and returns or throws what the body does")
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

  @Test("a section's mutex is a section: an access without the mutex conflicts")
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

  @Test("a section's mutex reports lock events: it is made on its first use, acquired and released")
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
      // A mutex of another section at the same address is a different lock.
      Section("mutex.other").write(locking: guarded.value) { _ in }
      precondition(heardSoFar() == heard + ["made \(lock)"] + once)
    }
  }
}

private func heardSoFar() -> [String] { told.withLock { $0 } }
