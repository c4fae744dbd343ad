import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("explore in several processes", .serialized, .controlled)
struct JobsExploreTests {
  private final class List: @unchecked Sendable {
    // Unchecked: the lock protects the numbers.
    private let lock = NSLock()
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { lock.withLock { numbers.append(number) } }
  }

  /// Three blocks append their number three times each: 1,680 orders, one of which fails.
  private static func append() {
    let list = List()
    let group = DispatchGroup()
    for number in 0..<3 {
      DispatchQueue.global().async(group: group) { for _ in 0..<3 { list.append(number) } }
    }
    group.wait()
    #expect(list.numbers != [2, 0, 0, 0, 1, 2, 1, 1, 2])
  }

  @Test("an expectation that fails in one order is reported once, with a single process's token")
  func fails() throws {
    let alone = try token(in: failure(.budget(.seconds(3600)), of: Self.append))
    let together = failure(.jobs(2), .budget(.seconds(3600)), of: Self.append)
    #expect(try token(in: together) == alone)
    #expect(together?.contains("JobsExploreTests.swift:") == true, "\(together ?? "")")
    #expect(failure(.jobs(2), replay: alone, of: Self.append) != nil)
  }

  @Test("a correct body passes in several processes, and so does an asynchronous one")
  func passes() async throws {
    actor Account {
      private var balance = 0
      func add(_ amount: Int) { balance += amount }
      var isZero: Bool { balance == 0 }
    }
    #expect(failure(.jobs(3), of: {}) == nil)
    let text = await failure(
      .jobs(2), .executions(1000),
      ofAsync: {
        let account = Account()
        async let first: Void = account.add(1)
        async let second: Void = account.add(2)
        async let third: Void = account.add(-3)
        _ = await (first, second, third)
        #expect(await account.isZero)
      })
    #expect(text == nil)
  }

  @Test("an impossible number of processes is an error", arguments: [0, -1, 65])
  func invalid(_ count: Int) {
    do {
      try explore(.jobs(count)) {}
      Issue.record("no error")
    } catch {
      #expect("\(error)" == "a number of jobs must be 1 to 64, found \(count)")
    }
  }
}
