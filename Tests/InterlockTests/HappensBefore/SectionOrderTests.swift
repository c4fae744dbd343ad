import CMarks
import Foundation
import Synchronization
import Testing

@testable import Interlock

/// True if the source orders all threads; otherwise it orders none.
private let allIsOrdered = Atomic<Bool>(false)

/// An order source that orders all threads or none, each at one epoch.
private func followOrder(allIsOrdered isOrdered: Bool = false) {
  allIsOrdered.store(isOrdered, ordering: .relaxed)
  let source = UnsafeMutablePointer<interlock_order_source>.allocate(capacity: 1)
  source.initialize(
    to: interlock_order_source(
      epoch: { _, slot, count in
        slot?.pointee = UInt32(truncatingIfNeeded: interlock_thread_number())
        count?.pointee = 1
        return true
      }, has_seen: { _, _ in allIsOrdered.load(ordering: .relaxed) },
      held: { held, capacity in
        guard capacity > 0 else { return 0 }
        held?.pointee = interlock_held_at(object: 17, place: 23, outer: 29, kind: 1)
        return 1
      }))
  interlock_set_order_source(source)
  SectionTracking.followOrder()
}

private func names() -> [String] {
  SectionTracking.unordered.map {
    "\($0.resource) \($0.first.section.mode) \($0.second.section.mode)"
  }
}

/// The order of sections that do not overlap. Each test runs in a separate process, because the
/// source is process-wide. Lines are explicit: inside an exit test all lines are the macro's.
struct SectionOrderTests {
  @Test("an unordered write after a write of another thread is reported, with both held locks")
  func writes() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.writes")
      onThread { section.write(line: 10) {} }
      onThread { section.write(line: 20) {} }
      let found = SectionTracking.unordered
      precondition(names() == ["order.writes noReadWrite noReadWrite"], "\(names())")
      precondition(found[0].lastingResource == "order.writes")
      let held = UnorderedAccesses.Held(object: 17, place: 23, outer: 29, kind: 1)
      precondition(found[0].first.held == [held] && found[0].second.held == [held])
      precondition(found[0].first.section.place.line == 10)
      precondition(found[0].second.section.place.line == 20)
      precondition(SectionTracking.conflicts.isEmpty)
    }
  }

  @Test("an unordered write after each of several reads is reported, and a read after a write")
  func reads() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.reads")
      onThread { section.read(line: 10) {} }
      onThread { section.read(line: 20) {} }
      onThread { section.write(line: 30) {} }
      precondition(names().count == 2)
      onThread { section.read(line: 40) {} }
      precondition(names().count == 3)
    }
  }

  @Test("a section that another thread ends has no epoch, and is not recorded")
  func endedByAnother() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.ended")
      section.begin(.noReadWrite, line: 10)
      onThread { section.end(.noReadWrite) }
      precondition(SectionTracking.misuses.count == 1)
      onThread { section.write(line: 20) {} }
      precondition(names().isEmpty, "\(names())")
      // The second section is recorded.
      onThread { section.write(line: 30) {} }
      precondition(names().count == 1)
    }
  }

  @Test("ordered accesses, two reads and accesses of one thread are not reported")
  func ordered() async {
    await #expect(processExitsWith: .success) {
      followOrder(allIsOrdered: true)
      let section = Section("order.ordered")
      for _ in 0..<3 {
        onThread { section.write {} }
        onThread { section.read {} }
      }
      allIsOrdered.store(false, ordering: .relaxed)
      let read = Section("order.read")
      onThread { read.read {} }
      onThread { read.read {} }
      onThread {
        let own = Section("order.own")
        own.write {}
        own.read {}
        own.write {}
      }
      precondition(SectionTracking.unordered.isEmpty)
    }
  }

  @Test(
    "a thread's later access is reported with the threads that accessed in between, if any")
  func comesBack() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.back")
      onThread {
        section.write(line: 10) {}
        section.read(line: 11) {}
        section.write(line: 12) {}
        precondition(names().isEmpty)
        onThread { section.read(line: 20) {} }
        precondition(names().count == 1)
        section.write(line: 30) {}
        precondition(names().count == 2)
        section.write(line: 31) {}
        precondition(names().count == 2)
        onThread { section.write(line: 40) {} }
        precondition(names().count == 3)
        section.read(line: 50) {}
        precondition(names().count == 4)
      }
    }
  }

  @Test("different parts are separate, and an unordered access to the whole conflicts with each")
  func parts() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.parts")
      onThread { section.write(1, line: 10) {} }
      onThread { section.write(2, line: 20) {} }
      precondition(names().isEmpty)
      // Reported with the last write to any part.
      onThread { section.write(line: 30) {} }
      precondition(names().count == 1)
      onThread { section.write(3, line: 40) {} }
      precondition(names().count == 2)
      // Reported with the whole, and with its own part.
      onThread { section.write(3, line: 50) {} }
      precondition(names().count == 4)
    }
  }

  @Test("an object at the address of a freed one has no recorded accesses")
  func instances() async {
    await #expect(processExitsWith: .success) {
      final class Box: Sendable {}
      @Sendable func use(_ box: Box) {
        BEGIN_LOCK(.noReadWrite, "order.box", of: box)
        END_LOCK(.noReadWrite, "order.box", of: box)
      }
      followOrder()
      var addresses: [ObjectIdentifier] = []
      for _ in 0..<50 {
        let box = Box()
        addresses.append(ObjectIdentifier(box))
        onThread { use(box) }
      }
      precondition(Set(addresses).count < addresses.count, "no address was used anew")
      precondition(SectionTracking.unordered.isEmpty)
      let shared = Box()
      onThread { use(shared) }
      onThread { use(shared) }
      precondition(SectionTracking.unordered.count == 1)
    }
  }

  @Test("tasks are reported on any thread, and one task on several threads is in order")
  func tasks() async {
    await #expect(processExitsWith: .success) {
      followOrder()
      let section = Section("order.tasks")
      await Task {
        section.write(line: 10) {}
        for _ in 0..<50 {
          await Task.yield()
          section.write(line: 10) {}
        }
      }.value
      precondition(names().isEmpty)
      await Task { section.write(line: 20) {} }.value
      precondition(names().count == 1)
      onThread { section.read(line: 30) {} }
      precondition(names().count == 2)
    }
  }

  @Test("overlapping accesses are not reported as unordered")
  func leftOut() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      followOrder()
      let met = Section("order.met")
      @Sendable func use(_ body: () -> Void) { met.write(body) }
      use { onThread { use {} } }
      onThread { use {} }
      precondition(SectionTracking.conflicts.count == 1)
      precondition(names().isEmpty)
      // A process with a conflict would not exit with 0.
      SectionTracking.removeAll()
    }
  }
}
