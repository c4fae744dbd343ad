import Foundation
import InterlockTesting
import Synchronization
import TestSupport
import Testing

/// A till with all of its locking behind a helper of another file.
private final class Till: @unchecked Sendable {
  // Unchecked: `lock` protects the sum.
  private let lock = NSLock()
  private var sum = 0

  func add(_ amount: Int) {
    let old = locked(lock) { sum }
    locked(lock) { sum = old + amount }
  }

  func close() -> Int { locked(lock) { sum } }
}

/// Outside of a macro's argument, where lines would be those of the expansion.
private enum Bodies {
  static let helperLine = #line + 3
  static func throughHelpers() throws {
    let till = Till()
    parallel({ till.add(1) }, { till.add(2) })
    if till.close() != 3 { throw CancellationError() }
  }

  static func eightTasks() async throws {
    let till = Till()
    await withTaskGroup(of: Void.self) { group in
      for amount in 1...8 {
        group.addTask {
          till.add(amount)
          await Task.yield()
          till.add(1)
        }
      }
    }
    if till.close() != 44 { throw CancellationError() }
  }

  static let madeLine = #line + 2
  private static func make() -> (DispatchGroup, DispatchSemaphore) {
    let group = DispatchGroup()
    let semaphore = DispatchSemaphore(value: 0)
    return (group, semaphore)
  }

  static let lockLines = (#line + 1)...(#line + 3)
  private static func first() -> NSLock { newLock() }
  private static func second() -> NSLock { newLock() }
  private static func third() -> NSLock { newLock() }

  static func crossedLocks() {
    let locks = [first(), second(), third()]
    parallel(
      { locks[2].withLock { locks[0].withLock { locks[1].withLock {} } } },
      { locks[1].withLock { locks[0].withLock {} } })
  }

  static func neverSignalled() {
    let (group, semaphore) = make()
    group.enter()
    DispatchQueue.global().async {
      semaphore.wait()
      group.leave()
    }
    group.wait()
  }
}

@Suite("a failing schedule", .serialized, .controlled)
struct CallSiteTests {
  @Test("a failing schedule shows where the user's code called a locking helper, with the helper")
  func lockHelper() throws {
    let text = try #require(failure(of: Bodies.throughHelpers))
    #expect(text.contains("CallSiteTests.swift:14 by locked(_:_:)"))
    #expect(text.contains("CallSiteTests.swift:15 by locked(_:_:)"))
    #expect(text.contains("CallSiteTests.swift:18 by locked(_:_:)"))
    #expect(text.contains("CallSiteTests.swift:\(Bodies.helperLine) by parallel(_:)"))
    #expect(!text.contains("OwnHelpers.swift"))
  }

  @Test("a failing schedule names the line that uses a macro, and no file of the macro")
  func macro() throws {
    let line = #line + 4
    func body() {
      let till = Till()
      parallel({ till.add(1) }, { till.add(2) })
      #expect(till.close() == 3)
    }
    let text = try #require(failure(of: body))
    #expect(text.contains("✘ CallSiteTests.swift:\(line)"))
    #expect(!text.contains("swiftmacro"))
  }

  @Test("rows of a failing schedule have at most 120 characters, and no function of the runtime")
  func eightTasks() async throws {
    let text = try #require(await failure(.executions(300), ofAsync: Bodies.eightTasks))
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("replay: ") }
    #expect(rows.allSatisfy { $0.count <= 120 })
    #expect(!text.contains("runJob") && !text.contains("Task<>.init"))
  }

  @Test("a failing schedule names the lines that made a group and a semaphore, not the caller's")
  func made() throws {
    let text = try #require(failure(of: Bodies.neverSignalled))
    #expect(text.contains(": group made at CallSiteTests.swift:\(Bodies.madeLine)\n"))
    #expect(text.contains(": semaphore made at CallSiteTests.swift:\(Bodies.madeLine + 1)\n"))
  }

  @Test("a failing schedule names the lines that made locks by a helper, with the helper")
  func madeByHelper() throws {
    let text = try #require(failure(of: Bodies.crossedLocks))
    let made = text.split(separator: "\n").filter { $0.contains(": lock made at ") }
    #expect(made.count == 3, "\(text)")
    for row in made {
      #expect(row.hasSuffix(" by newLock()"), "\(text)")
      #expect(Bodies.lockLines.contains { row.contains("CallSiteTests.swift:\($0) ") }, "\(text)")
    }
  }

  @Test("a failing schedule names the code that uses a locking property, with the accessor")
  func propertyWrapper() throws {
    let text = try #require(failure(of: Meter.addTwice))
    for accessor in ["getter", "setter"] {
      let place = "CallSiteTests.swift:\(Meter.line) by Locked.wrappedValue.\(accessor)"
      #expect(text.contains(place), "\(text)")
    }
    #expect(!text.contains(/lock #.*OwnHelpers\.swift/), "\(text)")
  }

  @Test("a failing schedule shows where a helper that locks a Mutex was called, with the helper")
  func mutexHelper() throws {
    let text = try #require(failure(of: MutexTill.addTwice))
    for line in MutexTill.lines {
      #expect(text.contains("CallSiteTests.swift:\(line) by MutexTill.locked(_:)"), "\(text)")
    }
  }
}

/// A number in a property wrapper that locks each access separately.
private final class Meter: @unchecked Sendable {
  // Unchecked: each access locks.
  @Locked private var sum = 0

  static let line = #line + 1
  private func add(_ amount: Int) { sum = sum + amount }

  static func addTwice() throws {
    let meter = Meter()
    parallel({ meter.add(1) }, { meter.add(2) })
    if meter.sum != 3 { throw CancellationError() }
  }
}

/// A till like `Till` with a `Mutex`, whose instructions are compiled into the helper.
private final class MutexTill: Sendable {
  private let sum = Mutex(0)

  private func locked<Result: Sendable>(_ body: (inout Int) -> Result) -> Result {
    sum.withLock { body(&$0) }
  }

  static let lines = [#line + 3, #line + 4, #line + 7]

  private func add(_ amount: Int) {
    let old = locked { $0 }
    locked { $0 = old + amount }
  }

  private func close() -> Int { locked { $0 } }

  static func addTwice() throws {
    let till = MutexTill()
    parallel({ till.add(1) }, { till.add(2) })
    if till.close() != 3 { throw CancellationError() }
  }
}
