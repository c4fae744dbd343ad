import Foundation
import InterlockTestsC
import Synchronization
import Testing

@testable import Interlock
@testable import SectionTable

/// The child of a fork, which has none of the other threads. Each test runs in a separate process.
struct ForkTests {
  private static let section = Section("fork.section")
  private static let other = Section("fork.other")

  private static var bucket: Bucket { Bucket(of: ResourceKey(hash: section.words.key)) }

  /// Runs `body` while another thread is inside `open`.
  private static func whileOpen(
    _ open: @escaping @Sendable (_ inside: @Sendable () -> Void) -> Void, _ body: () -> Void
  ) {
    let (isOpen, mayEnd) = (Gate(), Gate())
    let thread = JoinableThread {
      open {
        isOpen.open()
        mayEnd.pass()
      }
    }
    isOpen.pass()
    body()
    mayEnd.open()
    thread.join()
  }

  @Test("a child of a fork has no sections of threads that exist only in its parent")
  func sectionsOfOthers() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      Self.whileOpen({ inside in Self.section.read { Self.section.read("part", inside) } }) {
        let status = c_status_of_fork {
          Self.section.write {}
          Self.section.write("part") {}
          return SectionTracking.conflicts.isEmpty ? 0 : 1
        }
        precondition(status == 0, "\(status)")
        // The parent still has the thread.
        Self.section.write {}
        precondition(SectionTracking.conflicts.isEmpty == false)
      }
      SectionTracking.removeAll()
    }
  }

  @Test("a child of a fork keeps the sections of the thread that forked")
  func ownSections() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      SectionTracking.onMisuse = .record
      Self.section.begin(.noReadWrite)
      Self.other.read {
        let status = c_status_of_fork {
          onThread { Self.section.read {} }
          Self.section.end(.noReadWrite)
          onThread { Self.section.read {} }
          guard SectionTracking.conflicts.map(\.count) == [1] else { return 1 }
          return SectionTracking.misuses.isEmpty ? 0 : 2
        }
        precondition(status == 0, "\(status)")
      }
      Self.section.end(.noReadWrite)
      precondition(SectionTracking.conflicts.isEmpty && SectionTracking.misuses.isEmpty)
    }
  }

  @Test("a child of a fork keeps the sections of the task that forked, and no other task's")
  func sectionsOfTasks() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      await Self.section.read {
        await Task.yield()
        await withTaskGroup(of: Void.self) { group in
          group.addTask { Self.forkInTask() }
        }
      }
      precondition(SectionTracking.conflicts.isEmpty)
    }
  }

  private static func forkInTask() {
    other.begin(.noReadWrite)
    let status = c_status_of_fork {
      Self.section.write {}
      guard SectionTracking.conflicts.isEmpty else { return 1 }
      onThread { Self.other.read {} }
      return SectionTracking.conflicts.count == 1 ? 0 : 2
    }
    precondition(status == 0, "\(status)")
    other.end(.noReadWrite)
  }

  @Test("a child of a fork has no sections in overflow, and a line of its own is alone again")
  func overflow() async {
    await #expect(processExitsWith: .success) {
      @Sendable func nested(_ depth: Int, _ inside: () -> Void) {
        if depth == 0 { inside() } else { Self.section.read { nested(depth - 1, inside) } }
      }
      SectionTracking.onConflict = .record
      Self.whileOpen({ inside in nested(30, inside) }) {
        let status = c_status_of_fork {
          let bucket = Self.bucket
          let isEmpty = (0...Bucket.overflowCount).allSatisfy {
            bucket.words[$0].load(ordering: .relaxed) == 0
          }
          Self.section.write {}
          return isEmpty && SectionTracking.conflicts.isEmpty ? 0 : 1
        }
        precondition(status == 0, "\(status)")
      }
    }
  }

  @Test("a child of a fork waits for no look or pin of a thread that exists only in its parent")
  func waits() async {
    await #expect(processExitsWith: .success) {
      Self.section.write {}
      let context = UInt(bitPattern: ThreadContext.current)
      Self.whileOpen({ inside in
        guard let context = ThreadContext.Pointer(bitPattern: context) else { return }
        Self.bucket.look {
          context.pointee.pins.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
          inside()
          context.pointee.pins.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
      }) {
        let status = c_status_of_fork {
          Self.section.write("part") {}
          Self.section.write {}
          return 0
        }
        precondition(status == 0, "\(status)")
      }
      Self.section.write("part") {}
    }
  }

  @Test("a child of a fork waits for no lock of a thread that exists only in its parent")
  func locks() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      Self.useBox()
      let shadow = ShadowStates.make(1)
      shadow.withLock {
        for index in 0..<CoverageTables.objectLocks {
          ContentionCoverage.shared?.tables.locks[index].store(1, ordering: .relaxed)
        }
        let status = c_status_of_fork {
          Self.useBox()
          ShadowStates.make(1).withLock {}
          return ContentionCoverage.shared == nil ? 1 : 0
        }
        precondition(status == 0, "\(status)")
      }
      SectionTracking.coverage = false
    }
  }

  private static func useBox() {
    final class Box: Sendable {}
    let box = Box()
    BEGIN_LOCK(.noReadWrite, "fork.box", of: box)
    END_LOCK(.noReadWrite, "fork.box", of: box)
  }

  @Test("a conflict in a child of a fork names the child's thread")
  func thread() async {
    await #expect(processExitsWith: .success) {
      Self.section.write {}
      let status = c_status_of_fork {
        SectionTracking.onConflict = .record
        Self.section.begin(.noReadWrite)
        let context = ThreadContext.current
        let number = UInt(threadNumber())
        return context.pointee.thread == number
          && context.threadNumber.pointee.load(ordering: .relaxed) == number ? 0 : 1
      }
      precondition(status == 0, "\(status)")
    }
  }
}
