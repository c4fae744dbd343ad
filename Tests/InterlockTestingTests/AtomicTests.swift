import Foundation
import TestSupport
import Testing

@Suite("an explored test that uses atomics", .controlled, .offThePool)
struct AtomicTests {
  private func run(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredAtomics/\(filter)", of: "CheckedTests")
  }

  @Test("fails in the order that loses an update")
  func lostUpdate() throws {
    let run = try run("(lostUpdate|inTasks)")
    #expect(run.issues.map(\.test).sorted() == ["inTasks()", "lostUpdate()"])
    for issue in run.issues {
      #expect(issue.text.contains("→ 1) == 2"), "\(issue.text)")
      #expect(issue.text.contains(/atomic load #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
      #expect(issue.text.contains(/atomic store #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
    }
  }

  @Test("passes in every order if it is right, and nothing in it is left uncontrolled")
  func right() throws {
    let run = try run("right")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.matches(of: /explore: all \d+ orders pass;/).count == 6, "\(run.output)")
    #expect(!run.output.contains("NOT controlled"), "\(run.output)")
  }

  @Test("is not controlled where the check of memory is off, and the answer says so")
  func switchedOff() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredAtomics/lostUpdate", of: "CheckedTests",
      environment: ["INTERLOCK_OPTIONS": "memory=off"])
    #expect(run.issues.isEmpty, "\(run.output)")
    #expect(run.output.contains("the only order of the controlled calls passes"), "\(run.output)")
    #expect(run.output.contains("NOT controlled here: atomics in module"), "\(run.output)")
  }

  @Test("names the loop that waits for a value that no thread writes")
  func livelock() throws {
    let run = try run("neverSet")
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("livelock: a loop waits for a value that no thread writes"), "\(text)")
    #expect(text.contains(/body waits: atomic load #\d+ +ExploredAtomics.swift:/), "\(text)")
  }

  @Test("is tried on narrow pools if a loop keeps a task's thread, and the answer has the width")
  func narrowPool() throws {
    let text = try run("spinsOnNarrowPool").issues.first?.text ?? ""
    #expect(text.contains("where tasks have 1 thread; 2 suffice"), "\(text)")
  }

  @Test("is tried with each number of rounds of a loop that counts them")
  func countedRounds() throws {
    for test in ["localRounds", "propertyRounds", "roundsInTask"] {
      let run = try run(test)
      #expect(run.issues.map(\.test) == ["\(test)()"], "\(run.output)")
      #expect(run.issues.first?.text.contains("→ 2) != 2") == true, "\(run.output)")
    }
  }

  @Test("has the outcomes of every order that a search without reduction finds")
  func outcomes() throws {
    let run = try WatchedRun("swift-testing", "ExploredOutcomes/", of: "CheckedTests")
    #expect(run.status == 0, "\(run.output)")
    let passing = run.output.matches(of: /explore: (?:all \d+ orders|the only order) pass/)
    #expect(passing.count >= 30, "\(run.output)")
  }

  @Test("replays its failing order")
  func replay() throws {
    let run = try run("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("→ 1) == 2") }, "\(run.output)")
  }

  // Exchanges that may fail although they find what they expect.

  private func runExchanges(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredExchanges/\(filter)", of: "CheckedTests")
  }

  @Test("fails where a single failure of a weakCompareExchange counts as another thread's exchange")
  func singleTry() throws {
    let run = try runExchanges("singleTry(InWeakMemory|OfPair|InTask)?\\(")
    let tests = [
      "singleTry()", "singleTryInTask()", "singleTryInWeakMemory()", "singleTryOfPair()",
    ]
    #expect(run.issues.map(\.test).sorted() == tests, "\(run.output)")
    for issue in run.issues {
      #expect(issue.text.contains("→ 0) == 7"), "\(issue.text)")
      #expect(issue.text.contains(/failed weak exchange #\d+/), "\(issue.text)")
      #expect(
        issue.text.contains("may fail although it finds the value that it expects"),
        "\(issue.text)")
    }
    #expect(run.output.contains("failed weak exchange #2 reads (0, 0)"), "\(run.output)")
  }

  @Test("fails so in child processes too, where the exchange is found")
  func singleTryElsewhere() throws {
    let run = try runExchanges("singleTryElsewhere")
    #expect(run.issues.count == 2, "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("failed weak exchange") }, "\(run.output)")
  }

  @Test("passes where a weakCompareExchange is tried again, and where an exchange is a strong one")
  func triedAgain() throws {
    let run = try runExchanges("right")
    #expect(run.status == 0, "\(run.output)")
    let passing = run.output.matches(of: /explore: (?:all \d+ orders|the only order) pass/)
    #expect(passing.count == 8, "\(run.output)")
    let bounds = run.output.matches(of: /a weakCompareExchange fails by itself at most once/)
    #expect(bounds.count == 7, "\(run.output)")
    #expect(run.output.contains("explore: the only order passes"), "\(run.output)")
    #expect(!run.output.contains("whose source cannot be read"), "\(run.output)")
  }

  @Test("says that an exchange in a macro's argument was not let fail")
  func exchangeInMacro() throws {
    let run = try runExchanges("singleTryInMacro")
    #expect(run.output.contains("an exchange whose source cannot be read"), "\(run.output)")
  }

  @Test("replays the exchange that fails by itself")
  func exchangeReplay() throws {
    let run = try runExchanges("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
  }

  @Test("loses updates by atomics of each kind, in both models, with and without optimisation")
  func kinds() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredKinds/(optimised|unoptimised)", of: "CheckedTests")
    #expect(run.issues.count == 52, "\(run.output)")
    #expect(!run.output.contains("explore: all"), "\(run.output)")
    let failed = run.output.matches(of: /failed weak exchange #\d+ reads \(1, 2\)/)
    #expect(failed.count >= 2, "\(run.output)")
  }

  @Test("has the weak model's outcomes of atomics of 16 bytes, and none if they are in sequence")
  func pairs() throws {
    let run = try WatchedRun("swift-testing", "ExploredKinds/storeBuffering", of: "CheckedTests")
    #expect(run.issues.count == 1, "\(run.output)")
    let text = run.issues.first?.text ?? ""
    let store = /reads \(0, 0\), not yet the store of ExploredKinds.swift:\d+/
    #expect(text.contains(store), "\(text)")
    #expect(text.contains(".sequentiallyConsistent in place of"), "\(text)")
    #expect(run.output.contains(/explore: all \d+ orders pass; with atomics of the weak/))
  }

  // The weak memory model.

  private func runWeak(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredWeakBodies/\(filter)", of: "CheckedTests")
  }

  private func line(_ text: String) throws -> String {
    try WatchedRun.line(text, in: "ExploredWeakBodies.swift", of: "CheckedTests")
  }

  @Test("names the store that a relaxed load does not see, and the orders that are missing")
  func relaxed() throws {
    let text = try runWeak("relaxed\\(").issues.first?.text ?? ""
    let stored = try line("fills"), announced = try line("announces")
    #expect(
      text.contains("reads 0, not yet the store of \(stored)"), "\(text)")
    #expect(text.contains("every order passes with these memory orders:"), "\(text)")
    #expect(
      text.contains(".releasing in place of .relaxed  \(announced)"),
      "\(text)")
    #expect(text.contains(".acquiring in place of .relaxed"), "\(text)")
  }

  @Test("says that the default model takes relaxed atomics for sequentially consistent")
  func withoutTheModel() throws {
    let run = try runWeak("relaxedWithoutTheModel")
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.output.contains("with sequentially consistent atomics where the code asks for weaker"),
      "\(run.output)")
  }

  @Test("fails where orders are too weak: in tasks, over plain memory, in Dekker's algorithm")
  func tooWeak() throws {
    let run = try runWeak("(relaxedInTasks|plainValue|dekkerAcquiresAndReleases)")
    let text = Dictionary(uniqueKeysWithValues: run.issues.map { ($0.test, $0.text) })
    #expect(text["relaxedInTasks()"]?.contains("→ 0) == 7") == true, "\(text)")
    #expect(text["plainValue()"]?.contains("race in memory: nothing orders") == true, "\(text)")
    #expect(
      text["dekkerAcquiresAndReleases()"]?.contains(
        ".sequentiallyConsistent in place of .acquiring") == true, "\(text)")
    #expect(text.count == 3)
  }

  @Test("passes in the weak memory model with the orders that it needs")
  func strongEnough() throws {
    let run = try runWeak("right")
    #expect(run.status == 0, "\(run.output)")
    let answers = run.output.matches(of: /explore: all \d+ orders pass; with atomics of the weak/)
    #expect(answers.count == 3, "\(run.output)")
  }

  @Test("says in the weak memory model that an error is none of memory orders")
  func ofAnyModel() throws {
    let run = try runWeak("(lostUpdate|neverSet)")
    #expect(run.issues.count == 2, "\(run.output)")
    for issue in run.issues {
      #expect(issue.text.contains("no memory order is missing"), "\(issue.text)")
    }
    #expect(run.output.contains("livelock: a loop waits for a value that no thread writes"))
  }

  @Test("replays an order of the weak memory model by its token alone")
  func weakReplay() throws {
    let run = try runWeak("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("→ 0) == 7") }, "\(run.output)")
  }

  @Test(
    "has the outcomes of RC11's axioms and litmus tests, and needs each order of small algorithms")
  func weakOutcomes() throws {
    let run = try WatchedRun(
      "swift-testing", "(ExploredWeakMemory|ExploredLitmus|ExploredOrders)/", of: "CheckedTests")
    #expect(run.status == 0, "\(run.output)")
    let answers = run.output.matches(
      of: /explore: (?:all \d+ orders pass|the only order passes); with atomics of the weak/)
    #expect(answers.count >= 63, "\(run.output)")
  }

  @Test("is refused the weak memory model where memory is not checked")
  func weakWithoutTheCheck() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredWeakBodies/rightMail", of: "CheckedTests",
      environment: ["INTERLOCK_OPTIONS": "memory=off"])
    #expect(run.output.contains("this build does not check memory"), "\(run.output)")
    #expect(run.issues.map(\.test) == ["rightMail()"], "\(run.output)")
  }
}
