import Foundation
import Interlock
import InterlockTesting
import Testing
import XCTest

/// Claims to be safe, although one method forgets the lock.
final class Shelf: @unchecked Sendable {
  private let lock = NSLock()
  @Tracked private var books: [String: Int] = [:]

  func put(_ name: String) { lock.withLock { books[name, default: 0] += 1 } }  // puts
  func count(_ name: String) -> Int { lock.withLock { books[name] ?? 0 } }
  func has(_ name: String) -> Bool { books[name] != nil }  // looks
}

/// Reads under the lock, and writes the result under the lock again.
final class Tally: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func add() { lock.withLock { count += 1 } }
  func addInSteps() {
    let old = value
    lock.withLock { count = old + 1 }
  }
}

/// A stored property without a lock or a mark.
final class Plain: @unchecked Sendable {
  private(set) var count = 0

  func add() {
    let old = count
    // Leaves time for the other thread between the two accesses.
    for _ in 0..<1_000 where count < 0 {}
    count = old + 1
  }
}

/// Takes two locks in two orders.
final class Pairing: Sendable {
  private let locks = [NSLock(), NSLock()]

  func there() { locks[0].withLock { locks[1].withLock {} } }
  func back() { locks[1].withLock { locks[0].withLock {} } }
}

/// Checks of pairs. Each check prints its matrix.
@Suite(.serialized) struct SendableChecks {
  @Test func sections() async throws {
    let matrix = try await checkSendable(of: Shelf(), budget: .seconds(120)) { check in
      check.operation("put") { $0.put("a") }
      check.operation("count") { $0.count("a") }
      check.operation("has") { $0.has("a") }
    }
    print("page: \(matrix.html.contains("<td class=conflict>"))")
  }

  @Test func steps() async throws {
    try await checkSendable(of: Tally(), budget: .seconds(120), rounds: 20) { check in
      check.operation("add") { $0.add() }
      check.operation("addInSteps") { $0.addInSteps() }
      check.state { $0.value }
    }
  }

  @Test func correct() async throws {
    try await checkSendable(of: Tally(), budget: .seconds(120), rounds: 20) { check in
      check.operation("add") { $0.add() }
      check.operation("value") { $0.value }
      check.state { $0.value }
    }
  }

  @Test func unobservable() async throws {
    try await checkSendable(of: Plain(), budget: .seconds(120)) { check in
      check.operation("add") { $0.add() }
    }
  }

  @Test func plain() async throws {
    try await checkSendable(of: Plain(), budget: .seconds(120), rounds: 1_000) { check in
      check.operation("add") { $0.add() }
      check.state { $0.count }
    }
  }

  @Test func deadlock() async throws {
    try await checkSendable(of: Pairing(), budget: .seconds(120)) { check in
      check.operation("there") { $0.there() }
      check.operation("back") { $0.back() }
    }
  }

  @Test func reentered() async throws {
    try await checkSendable(of: Wallet(), budget: .seconds(120)) { check in
      check.operation("pay") { await $0.pay(80) }
      check.invariant { #expect(await $0.balance >= 0) }  // overdrawn
    }
  }
}

/// The same checks as `SendableChecks`, in XCTest.
final class XCSendable: XCTestCase {
  func testSections() async throws {
    try await checkSendable(of: Shelf(), budget: .seconds(120)) { check in
      check.operation("put") { $0.put("a") }
      check.operation("has") { $0.has("a") }
    }
  }
}

/// An actor that checks, awaits and then acts on the check.
actor Wallet {
  private(set) var balance = 100

  func pay(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task.yield()
    balance -= amount
  }
}
