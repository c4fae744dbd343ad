import Foundation
import TestSupport
import Testing

@Suite("an explored test that uses atomics", .controlled, .offThePool)
struct AtomicTests {
  private func run(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredAtomics/\(filter)", of: "CheckedTests")
  }

  @Test("an explored test of atomics fails in the order that loses an update")
  func lostUpdate() throws {
    let run = try run("(lostUpdate|inTasks)")
    #expect(run.issues.map(\.test).sorted() == ["inTasks()", "lostUpdate()"])
    for issue in run.issues {
      #expect(issue.text.contains("→ 1) == 2"), "\(issue.text)")
      #expect(issue.text.contains(/atomic load #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
      #expect(issue.text.contains(/atomic store #\d+ +ExploredAtomics.swift:/), "\(issue.text)")
    }
  }

  @Test("a correct test of atomics passes in every order, and everything in it is controlled")
  func right() throws {
    let run = try run("right")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.matches(of: /explore: all \d+ orders pass;/).count == 6, "\(run.output)")
    #expect(!run.output.contains("NOT controlled"), "\(run.output)")
  }

  @Test("without the check of memory, atomics are not controlled, and the answer says so")
  func switchedOff() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredAtomics/lostUpdate", of: "CheckedTests",
      environment: ["INTERLOCK_OPTIONS": "memory=off"])
    #expect(run.issues.isEmpty, "\(run.output)")
    #expect(run.output.contains("the only order of the controlled calls passes"), "\(run.output)")
    #expect(run.output.contains("NOT controlled here: atomics in module"), "\(run.output)")
  }

  @Test("the answer names a loop that waits for a value that no thread writes to an atomic")
  func livelock() throws {
    let run = try run("neverSet")
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("livelock: a loop waits for a value that no thread writes"), "\(text)")
    #expect(text.contains(/body waits: atomic load #\d+ +ExploredAtomics.swift:/), "\(text)")
  }

  @Test("a loop on an atomic in a task is tried on narrow pools, and the answer has the width")
  func narrowPool() throws {
    let text = try run("spinsOnNarrowPool").issues.first?.text ?? ""
    #expect(text.contains("where tasks have 1 thread; 2 suffice"), "\(text)")
  }

  @Test("a loop on an atomic that counts its rounds is tried with each number of rounds")
  func countedRounds() throws {
    for test in ["localRounds", "propertyRounds", "roundsInTask"] {
      let run = try run(test)
      #expect(run.issues.map(\.test) == ["\(test)()"], "\(run.output)")
      #expect(run.issues.first?.text.contains("→ 2) != 2") == true, "\(run.output)")
    }
  }

  @Test("reduction keeps the outcomes of every order of atomics that a plain search finds")
  func outcomes() throws {
    let run = try WatchedRun("swift-testing", "ExploredOutcomes/", of: "CheckedTests")
    #expect(run.status == 0, "\(run.output)")
    let passing = run.output.matches(of: /explore: (?:all \d+ orders|the only order) pass/)
    #expect(passing.count >= 30, "\(run.output)")
  }

  @Test("a test of atomics replays its failing order")
  func replay() throws {
    let run = try run("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("→ 1) == 2") }, "\(run.output)")
  }

  // Weak exchanges, which may fail although they find the expected value.

  private func runExchanges(_ filter: String) throws -> WatchedRun {
    try WatchedRun("swift-testing", "ExploredExchanges/\(filter)", of: "CheckedTests")
  }

  @Test("a test that takes a failed weakCompareExchange for another thread's exchange fails")
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

  @Test("a weakCompareExchange that is tried once fails in child processes too")
  func singleTryElsewhere() throws {
    let run = try runExchanges("singleTryElsewhere")
    #expect(run.issues.count == 2, "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("failed weak exchange") }, "\(run.output)")
  }

  @Test("a weakCompareExchange that is tried again passes, and so does a strong exchange")
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

  @Test("the answer says that an exchange in a macro's argument was not made to fail")
  func exchangeInMacro() throws {
    let run = try runExchanges("singleTryInMacro")
    #expect(run.output.contains("an exchange whose source cannot be read"), "\(run.output)")
  }

  @Test("a token replays a weakCompareExchange that fails by itself")
  func exchangeReplay() throws {
    let run = try runExchanges("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
  }

  @Test("atomics of each kind lose updates, in both memory models, optimised or not")
  func kinds() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredKinds/(optimised|unoptimised)", of: "CheckedTests")
    #expect(run.issues.count == 52, "\(run.output)")
    #expect(!run.output.contains("explore: all"), "\(run.output)")
    let failed = run.output.matches(of: /failed weak exchange #\d+ reads \(1, 2\)/)
    #expect(failed.count >= 2, "\(run.output)")
  }

  @Test("atomics of 16 bytes have weak outcomes only if they are not sequentially consistent")
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

  @Test("the weak memory model names the store that a relaxed load misses, and the missing orders")
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

  @Test("the answer says that the default model treats relaxed atomics as sequentially consistent")
  func withoutTheModel() throws {
    let run = try runWeak("relaxedWithoutTheModel")
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.output.contains("with sequentially consistent atomics where the code asks for weaker"),
      "\(run.output)")
  }

  @Test("too weak memory orders fail in tasks, over plain memory and in Dekker's algorithm")
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

  @Test("a test of atomics with the memory orders that it needs passes in the weak memory model")
  func strongEnough() throws {
    let run = try runWeak("right")
    #expect(run.status == 0, "\(run.output)")
    let answers = run.output.matches(of: /explore: all \d+ orders pass; with atomics of the weak/)
    #expect(answers.count == 3, "\(run.output)")
  }

  @Test("the weak memory model says if an error does not depend on memory orders")
  func ofAnyModel() throws {
    let run = try runWeak("(lostUpdate|neverSet)")
    #expect(run.issues.count == 2, "\(run.output)")
    for issue in run.issues {
      #expect(issue.text.contains("no memory order is missing"), "\(issue.text)")
    }
    #expect(run.output.contains("livelock: a loop waits for a value that no thread writes"))
  }

  @Test("a token alone replays an order of the weak memory model")
  func weakReplay() throws {
    let run = try runWeak("replayed")
    #expect(run.issues.map(\.test) == ["replayed()", "replayed()"], "\(run.output)")
    #expect(run.issues.allSatisfy { $0.text.contains("→ 0) == 7") }, "\(run.output)")
  }

  @Test(
    "the weak memory model has RC11's outcomes, and needs each memory order of small algorithms")
  func weakOutcomes() throws {
    let run = try WatchedRun(
      "swift-testing", "(ExploredWeakMemory|ExploredLitmus|ExploredOrders)/", of: "CheckedTests")
    #expect(run.status == 0, "\(run.output)")
    let answers = run.output.matches(
      of: /explore: (?:all \d+ orders pass|the only order passes); with atomics of the weak/)
    #expect(answers.count >= 63, "\(run.output)")
  }

  @Test("the weak memory model is refused if memory is not checked")
  func weakWithoutTheCheck() throws {
    let run = try WatchedRun(
      "swift-testing", "ExploredWeakBodies/rightMail", of: "CheckedTests",
      environment: ["INTERLOCK_OPTIONS": "memory=off"])
    #expect(run.output.contains("this build does not check memory"), "\(run.output)")
    #expect(run.issues.map(\.test) == ["rightMail()"], "\(run.output)")
  }
}
