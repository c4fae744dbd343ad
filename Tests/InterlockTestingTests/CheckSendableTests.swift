import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("checkSendable", .controlled, .offThePool)
struct CheckSendableTests {
  private func run(_ test: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "SendableChecks/\(test)\\(")
  }

  @Test("checkSendable finds the method without the lock at its line, and the other pairs are safe")
  func sections() throws {
    let run = try run("sections")
    let looks = try WatchedRun.line("looks", in: "STSendable.swift")
    let puts = try WatchedRun.line("puts", in: "STSendable.swift")
    #expect(run.issues.map(\.place) == [looks], "\(run.issues)")
    #expect(run.issues.first?.text.contains("'put' and 'has' conflict") == true)
    #expect(run.output.contains("Shelf: 1 of 6 pairs conflicts"), "\(run.output)")
    // The shortest schedule may begin with either operation.
    #expect(
      run.output.contains("put + has: read \(looks); write \(puts)")
        || run.output.contains("put + has: write \(puts); read \(looks)"), "\(run.output)")
    #expect(run.output.matches(of: /safe \(\d+\)/).count == 5, "\(run.output)")
    #expect(run.output.contains("page: true"))
  }

  @Test("checkSendable finds by the state that two critical sections are not one")
  func steps() throws {
    let run = try run("steps")
    #expect(run.issues.count == 2, "\(run.issues)")
    #expect(
      run.output.contains(
        "add + addInSteps; addInSteps + addInSteps: the state is 1; one after the other, the"
          + " operations leave 2"), "\(run.output)")
  }

  @Test("checkSendable calls no pair safe that only an oracle checked")
  func correct() throws {
    let run = try run("correct")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.output)")
    #expect(run.output.matches(of: /not seen \(\d+ \+ [1-9]\d*\)/).count == 3, "\(run.output)")
    #expect(!run.output.contains("safe ("))
  }

  @Test("checkSendable has an issue, named in the headline, if nothing could show a conflict")
  func unobservable() throws {
    let run = try run("unobservable")
    #expect(run.issues.count == 1, "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains(": nothing was checked: ") == true, "\(run.issues)")
    let headline = /checkSendable: \w+: nothing was checked: 1 pair not checked/
    #expect(run.output.contains(headline), "\(run.output)")
    #expect(run.output.contains("add  not checked"), "\(run.output)")
    #expect(run.output.contains("'add' begins no section, and there is no 'invariant' or 'state'"))
  }

  @Test("checkSendable names the columns of an order by the operations, also of an operation twice")
  func columns() throws {
    let run = try run("steps")
    // The words of each order, without the line that names the pair.
    let orders = run.issues.map { issue in
      let lines = issue.text.split(separator: "\n").dropFirst()
      let words = lines.flatMap { $0.split(separator: "  ") }
      return Set(words.map { $0.trimmingCharacters(in: .whitespaces) })
    }
    #expect(orders.contains { $0.isSuperset(of: ["add", "addInSteps"]) }, "\(orders)")
    #expect(orders.contains { $0.isSuperset(of: ["addInSteps (1)", "addInSteps (2)"]) })
    #expect(orders.allSatisfy { $0.isDisjoint(with: ["task 1", "task 2"]) }, "\(orders)")
  }

  @Test("checkSendable finds lost additions to a stored property on two threads by the state")
  func plain() throws {
    let run = try run("plain")
    #expect(run.issues.count == 1, "\(run.output)")
    #expect(run.issues.first?.text.contains("the operations leave 512") == true, "\(run.issues)")
    #expect(run.issues.first?.text.contains("replay: checkSendable(replay: \"s1-2-") == true)
  }

  @Test("checkSendable finds two locks in two orders, with both lines")
  func deadlock() throws {
    let run = try run("deadlock")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.count == 1, "\(run.issues)")
    #expect(run.output.contains(/there \+ back: deadlock; lock #\d+  STSendable.swift:\d+; lock/))
    let reported = try ReportedRun("SendableChecks/deadlock\\(")
    #expect(reported.results.map(\.rule) == ["order-fails"])
    // The code flows of the report: each thread takes a lock, and waits for the other lock.
    #expect((reported.flows.first ?? [:]).count { $0.value > 0 } >= 2, "\(reported.flows)")
  }

  @Test("checkSendable finds the re-entry of an actor by an invariant")
  func reentered() throws {
    let run = try run("reentered")
    #expect(run.issues.count == 1, "\(run.issues)")
    #expect(run.issues.first?.text.contains("Expectation failed: await $0.balance >= 0") == true)
  }

  @Test("checkSendable fails its test in XCTest")
  func xctest() throws {
    let run = try WatchedRun("xctest", "XCSendable/testSections")
    let line = try WatchedRun.line("looks", in: "STSendable.swift")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("\(line): error: XCSendable.testSections"), "\(run.output)")
  }
}

@Suite("checkSendable", .serialized, .controlled, .offThePool)
struct CheckSendableArgumentTests {
  /// Adds in two critical sections.
  private final class Counter: @unchecked Sendable {
    // Unchecked: the lock protects the count.
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
    func addInSteps() {
      let old = value
      lock.withLock { count = old + 1 }
    }
  }

  private func matrix(replay: String? = nil) async -> (SendableMatrix?, [String]) {
    let texts = Collected()
    var matrix: SendableMatrix?
    try? await withKnownIssue(isIntermittent: true) {
      matrix = try await checkSendable(
        of: Counter(), budget: .seconds(120), rounds: 10, replay: replay,
        function: "replayed"
      ) { check in
        check.operation("add") { $0.add() }
        check.operation("addInSteps") { $0.addInSteps() }
        check.state { $0.value }
      }
    } matching: {
      texts.add("\($0)")
      return true
    }
    return (matrix, texts.all)
  }

  @Test("checkSendable returns the outcome of each pair, and a replay runs its pair alone")
  func replay() async throws {
    let (matrix, texts) = await matrix()
    #expect(matrix?["add", "add"]?.outcome.isConflict == false)
    #expect(matrix?["addInSteps", "add"]?.outcome.isConflict == true)
    #expect(matrix?["add", "missing"] == nil)
    let text = try #require(texts.first { $0.contains("'add' and 'addInSteps'") })
    let match = try #require(text.firstMatch(of: /checkSendable\(replay: "([^"]+)"\)/))
    let (again, _) = await self.matrix(replay: String(match.1))
    #expect(again?.pairs.map(\.second) == ["addInSteps"])
    #expect(again?.hasConflict == true)
  }

  @Test("checkSendable calls a pair with one round not checked, with an issue if all pairs are so")
  func oneRound() async throws {
    let texts = Collected()
    var matrix: SendableMatrix?
    try await withKnownIssue {
      matrix = try await checkSendable(of: Counter(), budget: .seconds(120), rounds: 1) { check in
        check.operation("add") { $0.add() }
        check.state { $0.value }
      }
    } matching: {
      texts.add("\($0)")
      return true
    }
    let pair = try #require(matrix?.pairs.first)
    guard case .noConflictSeen(_, rounds: 1) = pair.outcome else {
      Issue.record("had more than one round: \(pair)")
      return
    }
    #expect(!pair.outcome.isChecked)
    let text = try #require(matrix).description
    #expect(text.contains("Counter: nothing was checked: 1 pair not checked  "), "\(text)")
    #expect(text.contains(/add  not checked \(\d+ \+ 1\)/), "\(text)")
    #expect(!text.contains("not seen"), "\(text)")
    #expect(texts.all.count == 1)
  }

  @Test("checkSendable refuses invalid input in one line")
  func badInput() async {
    func refuses(
      _ part: String, budget: Duration = .seconds(1), rounds: Int = 10, replay: String? = nil,
      _ operations: @Sendable (inout SendableOperations<Counter>) -> Void
    ) async {
      var text = "no error"
      do {
        try await checkSendable(
          of: Counter(), budget: budget, rounds: rounds, replay: replay, operations)
      } catch {
        text = "\(error)"
      }
      #expect(text.contains(part), "\(text)")
      #expect(!text.contains("\n"), "\(text)")
    }
    await refuses("there is no operation") { _ in }
    await refuses("'budget' must be at least", budget: .zero) { $0.operation("a") { $0.add() } }
    await refuses("'rounds' must be from 1", rounds: 0) { $0.operation("a") { $0.add() } }
    await refuses("belongs to no pair", replay: "i1-2") { $0.operation("a") { $0.add() } }
    await refuses("an operation needs a name") { $0.operation("") { $0.add() } }
    await refuses("two operations have the name 'a'") { check in
      check.operation("a") { $0.add() }
      check.operation("a") { $0.add() }
    }
    struct Refused: Error {}
    await refuses("the operation 'a' fails by itself: Refused()") {
      $0.operation("a") { _ in throw Refused() }
    }
    await refuses("'a' fails after 'a' even one after the other") {
      $0.operation("a") { counter in
        if counter.value == 1 { throw Refused() }
        counter.add()
      }
    }
    await refuses("'state' is another after 'a' and then 'a'") { check in
      check.operation("a") { $0.add() }
      check.state { _ in UUID() }
    }
  }

  private final class Collected: @unchecked Sendable {
    // Unchecked: the lock protects the texts.
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }
    func add(_ text: String) { lock.withLock { texts.append(text) } }
  }
}
