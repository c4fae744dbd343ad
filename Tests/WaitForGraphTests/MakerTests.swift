import HangReports
import Interlock
import Testing

@testable import Hangs

/// The code that made a lock, behind the classes and functions that make locks for callers.
@Suite("Where a lock was made")
struct MakerTests {
  private static func frame(
    _ line: Int, _ function: String, in file: String = "/app/Bank.swift"
  ) -> StackFrame {
    StackFrame(
      address: UInt(line), function: function, file: file, line: line, image: "app")
  }

  /// Two threads in a cycle of two mutexes, with the frames that made the mutexes.
  private static func texts(
    _ first: [StackFrame], _ second: [StackFrame], lockedIn place: [StackFrame] = Snapshots.line(5)
  ) throws -> [String] {
    var snapshot = CycleTests.ring(2)
    snapshot.signals = [
      WaitSnapshot.Signal(id: 0x1000, kind: .mutex, created: first),
      WaitSnapshot.Signal(id: 0x1001, kind: .mutex, created: second),
    ]
    for index in snapshot.threads.indices { snapshot.threads[index].held[0].place = place }
    let diagnosis = try #require(Diagnosis(of: snapshot))
    let nodes = Explanation(diagnosis, of: snapshot).nodes
    return ["0x1000", "0x1001"].compactMap { id in
      nodes.first { $0.id.contains(id.dropFirst(2)) }?.title
    }
  }

  private static let users = (frame(30, "Bank.init()"), frame(31, "Bank.init()"))

  @Test("the maker of a lock is the line that made the object with the lock, not the class's line")
  func initializer() throws {
    let made = Self.frame(9, "LockBox.init(_:)", in: "/app/LockBox.swift")
    #expect(
      try Self.texts([made, Self.users.0], [made, Self.users.1]) == [
        "the mutex made at Bank.swift:30  Bank.init() by LockBox.init(_:)",
        "the mutex made at Bank.swift:31  Bank.init() by LockBox.init(_:)",
      ])
  }

  @Test("the maker of a lock is behind each of two nested classes")
  func twoClasses() throws {
    let made = [
      Self.frame(9, "Lock.init()", in: "/app/Lock.swift"),
      Self.frame(4, "LockBox.init(_:)", in: "/app/LockBox.swift"),
    ]
    #expect(
      try Self.texts(made + [Self.users.0], made + [Self.users.1]) == [
        "the mutex made at Bank.swift:30  Bank.init() by LockBox.init(_:)",
        "the mutex made at Bank.swift:31  Bank.init() by LockBox.init(_:)",
      ])
  }

  @Test("the maker of a lock is behind a function that makes locks for several callers")
  func function() throws {
    let made = Self.frame(9, "makeLock(named:)")
    #expect(
      try Self.texts([made, Self.users.0], [made, Self.users.1]) == [
        "the mutex made at Bank.swift:30  Bank.init() by makeLock(named:)",
        "the mutex made at Bank.swift:31  Bank.init() by makeLock(named:)",
      ])
  }

  @Test("the maker of a lock is the line of a function that makes several locks for one caller")
  func oneCaller() throws {
    let made = [Self.frame(9, "makeLocks(_:)"), Self.users.0]
    #expect(
      try Self.texts(made, made) == [
        "the mutex made at Bank.swift:9  makeLocks(_:) (0x1000)",
        "the mutex made at Bank.swift:9  makeLocks(_:) (0x1001)",
      ])
  }

  @Test("the maker of a lock is behind the only lock of a class whose functions lock")
  func onlyLock() throws {
    let made = Self.frame(9, "Lock.init()", in: "/app/Lock.swift")
    let locks = Self.frame(12, "Lock.withLock(_:)", in: "/app/Lock.swift")
    let other = Self.frame(40, "Account.init()")
    #expect(
      try Self.texts([made, Self.users.0], [other], lockedIn: [locks, Self.users.1]) == [
        "the mutex made at Bank.swift:30  Bank.init() by Lock.init()",
        "the mutex made at Bank.swift:40  Account.init()",
      ])
    #expect(
      try Self.texts([made, Self.users.0], [other]) == [
        "the mutex made at Lock.swift:9  Lock.init()",
        "the mutex made at Bank.swift:40  Account.init()",
      ])
  }
}
