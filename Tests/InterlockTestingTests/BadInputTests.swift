import CInterlockEvents
import Foundation
import Interlock
import InterlockTesting
import Synchronization
import TestSupport
import Testing

/// Calls `act` in one order only: the second block takes the lock first.
private func inSomeOrder(_ act: @escaping @Sendable () -> Void) {
  let lock = NSLock()
  nonisolated(unsafe) var isFirst = true
  let group = DispatchGroup()
  DispatchQueue.global().async(group: group) { lock.withLock { isFirst = false } }
  DispatchQueue.global().async(group: group) { if lock.withLock({ isFirst }) { act() } }
  group.wait()
}

private typealias Exit = @convention(c) (Int32) -> Void

/// A function of the C library, looked up by name like one that Swift does not offer.
private func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
  unsafeBitCast(try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)), to: type)
}

@Suite("explore survives a bad body", .serialized, .controlled)
struct BadInputTests {
  @Test(
    "a body that ends the process is a finding, and the tests go on",
    arguments: ["exit", "_exit", "_Exit", "quick_exit"])
  func exits(_ name: String) throws {
    let exit = try function(name, as: Exit.self)
    let text = failure(of: { inSomeOrder { exit(3) } })
    #expect(text?.hasPrefix("thread 2 called \(name)(3), which ends the process (order") == true)
    #expect(text?.contains("BadInputTests.swift:") == true)
  }

  @Test("a body that replaces the process is a finding")
  func replaces() {
    let text = failure(of: { inSomeOrder { execv("/bin/true", [nil]) } })
    #expect(text?.contains("called execv(\"/bin/true\"), which replaces the process") == true)
  }

  @Test("a body that leaves the main queue to the pool never returns, which is a finding")
  func leavesMain() {
    let text = failure(of: { dispatchMain() })
    #expect(text?.hasPrefix("dispatch_main was called, which never returns: an explored") == true)
    #expect(text?.contains("BadInputTests.swift:") == true)
  }

  @Test("a body that closes a descriptor of the process is a finding, and it stays open")
  func closes() {
    let text = failure(of: { inSomeOrder { close(STDOUT_FILENO) } })
    #expect(text?.contains("called close(1) on a descriptor that it did not open") == true)
    #expect(fcntl(STDOUT_FILENO, F_GETFD) >= 0)
  }

  @Test("a body that closes the descriptor that it opened is no finding")
  func closesOwn() {
    #expect(failure(of: { close(open("/dev/null", O_RDONLY)) }) == nil)
  }

  @Test("the child that a body forks ends by itself, and no order fails")
  func forks() throws {
    let fork = try function("fork", as: (@convention(c) () -> Int32).self)
    let exit = try function("_exit", as: Exit.self)
    let text = failure(
      .executions(3),
      of: {
        let child = fork()
        if child == 0 { exit(0) }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        #expect(status == 0)
      })
    #expect(text == nil)
  }

  @Test("a body that never ends is stopped within the budget")
  func neverEnds() {
    let text = failure(
      .budget(.seconds(1)),
      of: {
        var count = 0
        while count >= 0 { count = count &+ 1 & 0xffff }
      })
    #expect(text?.contains("a thread ran for the whole time limit and reached no point") == true)
  }

  @Test("a body that leaves a thread waiting for ever passes")
  func leavesThreads() {
    let text = failure(of: {
      let never = DispatchSemaphore(value: 0)
      Thread { never.wait() }.start()
    })
    #expect(text == nil)
  }

  @Test("a body that deadlocks before it has made a thread is a finding with its line")
  func deadlocksAlone() {
    let text = failure(of: {
      let lock = NSLock()
      lock.lock()
      lock.lock()
    })
    #expect(text?.hasPrefix("deadlock (self) (order number 1)") == true)
    #expect(text?.contains("body waits: lock") == true)
    #expect(text?.contains("BadInputTests.swift:") == true)
  }

  @Test("a body that explores is a finding")
  func nested() {
    #expect(failure(of: { try explore {} })?.contains("an explored body cannot explore") == true)
  }

  @Test("eight tests that explore at once take turns")
  func parallel() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await explore(.executions(50)) {
            let lock = NSLock()
            async let first: Void = lock.withLock {}
            async let second: Void = lock.withLock {}
            _ = await (first, second)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("the message for a changed body says where the token no longer fits")
  func changedBody() throws {
    let given = try token(in: failure(function: "one", of: { inSomeOrder { abort() } }))
    let text = try #require(
      failure(replay: given, function: "one", of: { NSLock().withLock {} }))
    #expect(text.hasPrefix("the token's schedule does not fit any more: "), "\(text)")
  }

  @Test(
    "a cut, changed or foreign token is refused in one line",
    arguments: ["", "x", "i2-00000000-w0-a-000000", "i1-00000000-w0-a-000000", "i1-"])
  func badToken(_ text: String) {
    let error = #expect(throws: ExploreError.self) { try explore(replay: text) {} }
    #expect(error?.description.contains("\n") == false)
  }
}

/// A count that outlives an execution.
private let visits = Mutex(0)
private enum Shared {
  static let lock = NSLock()
}

@Suite("explore compares the first executions of a body", .serialized, .controlled)
struct StateTests {
  @Test("a body that leaves state behind fails at the first step that the state changes")
  func leavesState() {
    let text = failure(of: {
      let count = visits.withLock { visits -> Int in
        visits += 1
        return visits
      }
      if count.isMultiple(of: 2) { NSLock().withLock {} }
    })
    #expect(text?.hasPrefix("the body is not deterministic: the same choices led to other") == true)
    #expect(text?.contains("BadInputTests.swift:") == true)
  }

  @Test("a global that the first execution initialises is no difference between executions")
  func initialisesGlobal() throws {
    let text = failure(of: {
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) { Shared.lock.withLock {} }
      }
      group.wait()
    })
    #expect(text == nil)
  }
}

/// A `Mutex`: no call creates it, so it is first known when it is used.
private final class LockedCount: Sendable {
  private let count = Mutex(0)

  func add() { count.withLock { $0 += 1 } }
}

@Suite("explore numbers a lock anew", .serialized, .controlled)
struct ObjectNumberTests {
  /// Frees a lock and makes another one, in the same memory or elsewhere.
  private func makeTwo(inSameMemory: Bool) {
    do {
      let first = LockedCount()
      first.add()
    }
    // Occupies the freed memory, unless the next lock is to get it.
    let other = inSameMemory ? nil : LockedCount()
    LockedCount().add()
    withExtendedLifetime(other) {}
  }

  @Test("a lock gets a new number even if its memory was another lock's", arguments: [0, 200])
  func memoryUsedAgain(besides others: Int) {
    let text = failure(of: {
      let others = (0..<others).map { _ in LockedCount() }
      for other in others { other.add() }
      let count = visits.withLock { visits -> Int in
        visits += 1
        return visits
      }
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          makeTwo(inSameMemory: count.isMultiple(of: 2))
          Shared.lock.withLock {}
        }
      }
      group.wait()
      withExtendedLifetime(others) {}
    })
    #expect(text == nil)
  }
}

@Suite("explore in a child process", .serialized, .controlled)
struct IsolatedTests {
  @Test("a body that kills its process in some order is a finding with that order")
  func killed() {
    let text = failure(.isolated, of: { inSomeOrder { kill(getpid(), SIGKILL) } })
    let prefix = "the process was ended by signal 9 (order number"
    #expect(text?.hasPrefix(prefix) == true, "\(text ?? "no issue")")
    #expect(text?.contains("BadInputTests.swift:") == true)
    #expect(text?.contains("passed when they were tried again") == false)
  }

  @Test("a failed expectation is a finding with its text and its token")
  func fails() throws {
    let body: @Sendable () -> Void = { inSomeOrder { #expect(Bool(false), "seen") } }
    let text = failure(.isolated, of: body)
    #expect(text?.hasPrefix("Expectation failed: ") == true, "\(text ?? "no issue")")
    #expect(failure(replay: try token(in: text), of: body)?.contains("seen") == true)
  }

  @Test("the steps at sections and sync points have their lines and names")
  func sections() {
    let text = failure(
      .isolated,
      of: {
        SYNC_POINT("isolated.point")
        Section("isolated.section").write(synched: true) {}
        inSomeOrder { #expect(Bool(false)) }
      })
    #expect(text?.contains(/sync point #\d+  isolated\.point/) == true, "\(text ?? "no issue")")
    #expect(text?.contains(/write section #\d+  BadInputTests\.swift:\d+/) == true)
  }

  /// Holds a lock during the next fork of the process, and releases it after the fork.
  private final class HeldAtFork: @unchecked Sendable {
    // Unchecked: the semaphores order the accesses.
    private static let forked = DispatchSemaphore(value: 0)
    private static let isArmed = Atomic(false)
    private static let registered: Int32 = pthread_atfork(
      nil,
      {
        if HeldAtFork.isArmed.exchange(false, ordering: .relaxed) { HeldAtFork.forked.signal() }
      }, nil)

    init(holding withLock: @escaping @Sendable (() -> Void) -> Void) throws {
      try #require(Self.registered == 0)
      let holds = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        withLock {
          Self.isArmed.store(true, ordering: .relaxed)
          holds.signal()
          Self.forked.wait()
        }
      }
      holds.wait()
    }
  }

  @Test("a lock that another thread holds at the fork is free in a later child")
  func forkedUnderLock() throws {
    let lock = NSLock()
    _ = try HeldAtFork { work in lock.withLock(work) }
    let text = failure(
      .isolated,
      of: {
        inSomeOrder {}
        lock.withLock {}
      })
    #expect(text == nil)
  }

  @Test("a Mutex that another thread holds at the fork is free in a later child")
  func forkedUnderMutex() throws {
    let mutex = Mutex(0)
    try withUnsafePointer(to: mutex) { mutex in
      nonisolated(unsafe) let mutex = mutex
      _ = try HeldAtFork { work in mutex.pointee.withLock { _ in work() } }
      #expect(failure(.isolated, of: { mutex.pointee.withLock { $0 += 1 } }) == nil)
    }
  }

  @Test("a lock of uncontrolled code that is held at the fork is free in a later child")
  func forkedUnderUncontrolledLock() throws {
    let lock = NSLock()
    _ = try HeldAtFork { work in lock.withLock(work) }
    let text = failure(
      .isolated,
      of: {
        interlock_events_hide_thread(true)
        lock.withLock {}
        interlock_events_hide_thread(false)
      })
    #expect(text == nil)
  }

  @Test("a correct body passes in child processes, and its writes to memory are lost")
  func passes() {
    let count = Atomic(0)
    withUnsafePointer(to: count) { count in
      nonisolated(unsafe) let count = count
      let text = failure(
        .isolated, of: { inSomeOrder { count.pointee.add(1, ordering: .relaxed) } })
      #expect(text == nil)
    }
    #expect(count.load(ordering: .relaxed) == 0)
  }
}
