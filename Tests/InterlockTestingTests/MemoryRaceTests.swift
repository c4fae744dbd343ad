import Foundation
import InterlockTesting
import TestSupport
import Testing

@Suite("a test whose memory is checked", .controlled, .offThePool)
struct MemoryRaceTests {
  private func run(_ filter: String, _ options: String = "") throws -> WatchedRun {
    try WatchedRun(
      "swift-testing", filter, of: "CheckedTests", environment: ["INTERLOCK_OPTIONS": options])
  }

  private func line() throws -> String {
    try WatchedRun.line("races", in: "Users.swift", of: "CheckedTests")
  }

  @Test("a race of a test's tasks or threads is one issue, at its line, and the test goes on")
  func issues() throws {
    for test in ["tasks()", "threads()", "blocks()"] {
      let run = try run("Checked/\(test.dropLast(2))")
      #expect(run.status == 1, "\(run.output)")
      #expect(run.issues.map(\.test) == [test], "\(run.issues)\(run.output)")
      #expect(run.issues.first?.place == (try line()))
      #expect(run.issues.first?.text.contains("race in memory: nothing orders") == true)
      #expect(run.issues.first?.text.contains("\n  accessed: Users.count\n") == true)
      #expect(run.output.contains("Test run with 1 test"))
      // No frame belongs to Interlock.
      #expect(run.issues.first?.text.contains(/interpose_|call_and_release_block/) == false)
    }
  }

  @Test("a race is an issue of a test even if another test has had the race already")
  func repeated() throws {
    let run = try run("Repeated/")
    #expect(run.status == 1, "\(run.output)")
    let tests = ["known()", "plain()", "twice()", "stressed()"]
    #expect(run.issues.map(\.test).sorted() == tests.sorted(), "\(run.issues)\(run.output)")
    #expect(run.issues.filter(\.isKnown).map(\.test) == ["known()"], "\(run.issues)")
    #expect(run.output.contains("failed in round 1 of 50"), "\(run.output)")
    let plain = try self.run("Repeated/plain")
    #expect(plain.issues.map(\.test) == ["plain()"], "\(plain.issues)\(plain.output)")
    let atOnce = try self.run("RepeatedAtOnce/")
    let all = Array(repeating: "races(_:)", count: 2)
    #expect(atOnce.issues.map(\.test) == all, "\(atOnce.issues)\(atOnce.output)")
  }

  @Test("a race in an explored order is the issue of its exploration, with the token")
  func explored() throws {
    let run = try run("ExploredRaces/")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("interlock: no race in memory outside of the explorations in "))
    for (test, mark, line) in [
      ("first()", "explores first", "races"), ("second()", "explores second", "races again"),
      ("sameLine()", "explores the same line", "races"),
    ] {
      let issues = run.issues.filter { $0.test == test }
      #expect(issues.count == 1, "\(test): \(issues)\(run.output)")
      let place = try WatchedRun.line(mark, in: "Checked.swift", of: "CheckedTests")
      #expect(issues.first?.place == place, "\(issues)")
      let text = issues.first?.text ?? ""
      let access = try WatchedRun.line(line, in: "Users.swift", of: "CheckedTests")
      #expect(text.contains("race in memory: nothing orders"), "\(text)")
      #expect(text.contains("\n  accessed: Users.count\n"), "\(text)")
      #expect(text.contains("\n  first: ") && text.contains("\n  second: "), "\(text)")
      #expect(text.contains(access), "\(text)")
      #expect(!text.contains("unknown thread"), "\(text)")
      Self.expectUsersFrames(in: text)
      #expect(text.contains("\nreplay: explore(replay: \"i1-"), "\(text)")
    }
    #expect(run.issues.filter(\.isKnown).map(\.test) == ["replayed()", "replayed()"])
    #expect(run.issues.count == 5, "\(run.issues)\(run.output)")
    #expect(run.output.contains("Test run with 7 tests"), "\(run.output)")
  }

  @Test("an order that loses an update by a race fails, with the accesses and the race")
  func lostUpdate() throws {
    let run = try run("ExploredUpdates/(lost|sampled)")
    #expect(run.issues.map(\.test).sorted() == ["lost()", "lostByTasks()", "sampled()"])
    for issue in run.issues {
      let text = issue.text
      #expect(text.contains("Expectation failed: (users.total → 1) == 2"), "\(text)")
      let place = String(try line().split(separator: "/").last ?? "")
      for access in ["reads", "writes"] {
        let rows = text.split(separator: "\n").filter { $0.contains("  \(access) #") }
        #expect(!rows.isEmpty && rows.allSatisfy { $0.contains(place) }, "\(access): \(text)")
      }
      #expect(text.contains(": variable 'Users.count'\n"), "\(text)")
      #expect(text.contains("\nrace in memory: nothing orders"), "\(text)")
      #expect(text.contains("\n  first: ") && text.contains("\n  second: "), "\(text)")
      let kind = issue.test == "lostByTasks()" ? "task" : "thread"
      let owners = text.matches(of: #/\n  (?:first|second): .*\n    (\w+) ([12]), /#)
      #expect(owners.map { String($0.1) } == [kind, kind], "\(text)")
      #expect(Set(owners.map { String($0.2) }) == ["1", "2"], "\(text)")
      Self.expectUsersFrames(in: text)
    }
  }

  /// Expects that both stacks begin in the user's code, and have no frame of the engine.
  private static func expectUsersFrames(
    in text: String, at location: SourceLocation = #_sourceLocation
  ) {
    let frames = text.matches(of: /\n +#(\d+) (.+)/).map { ($0.1, $0.2) }
    #expect(frames.count { $0.0 == "0" } == 2, "\(text)", sourceLocation: location)
    for (number, frame) in frames {
      if number == "0" {
        #expect(frame.contains("  Users.swift:"), "\(text)", sourceLocation: location)
      }
      #expect(!frame.contains("interlock_"), "\(text)", sourceLocation: location)
      #expect(frame.firstMatch(of: /\.[ch]:\d+$/) == nil, "\(text)", sourceLocation: location)
    }
  }

  @Test("a race names the thread of an explored access under a lock")
  func threadUnderLock() throws {
    let run = try run("ExploredUpdates/halfLocked")
    #expect(run.issues.map(\.test) == ["halfLocked()"], "\(run.issues)\(run.output)")
    let text = run.issues.first?.text ?? ""
    let side = #/\n  \w+: .*\n    thread [12](, holds no lock\n|\n    holds the lock at )/#
    #expect(Set(text.matches(of: side).map(\.1.count)).count == 2, "\(text)")
  }

  @Test("the memory of an explored test is checked in child processes as well")
  func isolatedUpdate() throws {
    let run = try run("ExploredUpdates/isolated")
    #expect(run.issues.map(\.test) == ["isolated()"], "\(run.issues)\(run.output)")
    let text = run.issues.first?.text ?? ""
    #expect(text.contains("Expectation failed: (users.total → 1) == 2"), "\(text)")
    #expect(text.contains("  reads #") && text.contains(": variable 'Users.count'\n"), "\(text)")
    #expect(text.contains("\nrace in memory: nothing orders"), "\(text)")
    #expect(text.contains("\n  accessed: Users.count\n"), "\(text)")
    #expect(run.output.contains("explore: all 2 orders"), "\(run.output)")
  }

  @Test("the token of a lost update replays the same order")
  func replayedUpdate() throws {
    let run = try run("ExploredUpdates/replayed")
    let texts = run.issues.map(\.text)
    let found = texts.map {
      $0.replacing(/order number \d+\); the shortest.* found/, with: "the token's order); it")
    }
    #expect(texts.count == 2 && texts[0] != texts[1] && found[0] == found[1], "\(run.output)")
    #expect(texts.first?.contains("  writes #") == true)
  }

  @Test("accesses that a lock keeps apart add no orders")
  func repairedUpdate() throws {
    let run = try run("ExploredUpdates/repaired")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    #expect(run.output.contains("explore: all 2 orders"), "\(run.output)")
  }

  @Test("a race that makes no order fail is the issue, and two reads have one order")
  func readers() throws {
    let run = try run("ExploredUpdates/(one|two)Reader")
    #expect(run.issues.map(\.test).sorted() == ["oneReader()", "twoReaders()"])
    let counts = run.issues.sorted { $0.test < $1.test }.map { issue in
      #expect(issue.text.contains("race in memory: nothing orders"), "\(issue.text)")
      let match = issue.text.firstMatch(of: /no order of its .* otherwise: all (\d+) were tried/)
      return match.flatMap { Int($0.1) } ?? 0
    }
    // Each reader's read comes before or after each write, independently of the other reader.
    #expect(counts.count == 2 && counts[0] > 1 && counts[1] == counts[0] * counts[0], "\(counts)")
  }

  @Test("an explored body whose accesses are ordered by any means has no race")
  func exploredCorrect() throws {
    let run = try run("ExploredCorrect/")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    #expect(run.output.contains("Test run with 17 tests"), "\(run.output)")
    #expect(!run.output.contains("no longer looked for"), "\(run.output)")
  }

  @Test("a schedule shows the user's atomic operations, and none of Interlock's own")
  func seam() throws {
    let run = try run("ExploredSeam/")
    let text = run.issues.map(\.text).joined()
    #expect(text.contains("atomic load #"), "\(run.output)")
    #expect(!text.contains("explored_sections"), "\(run.output)")
  }

  @Test("a Mutex in checked memory has its orders, and all of it is controlled")
  func controlled() throws {
    let run = try run("ExploredCorrect/mutex")
    #expect(run.output.contains("explore: all 2 orders pass; took"), "\(run.output)")
  }

  @Test("each pair of operations that races in memory is a conflict of 'checkSendable'")
  func pairs() throws {
    let unlocked = try run("CheckedPairs/unlocked")
    #expect(unlocked.status == 1, "\(unlocked.output)")
    #expect(unlocked.output.contains("Users: 5 of 6 pairs conflict"), "\(unlocked.output)")
    #expect(unlocked.output.matches(of: /CONFLICT/).count == 5, "\(unlocked.output)")
    #expect(Set(unlocked.issues.map(\.test)) == ["unlocked()"], "\(unlocked.issues)")
    #expect(unlocked.issues.count == 5, "\(unlocked.issues)")
    #expect(Set(unlocked.issues.map(\.place)) == [try line()], "\(unlocked.issues)")
    let locked = try run("CheckedPairs/locked")
    #expect(locked.status == 0 && locked.issues.isEmpty, "\(locked.output)")
    #expect(locked.output.contains("no conflict in 3 pairs"), "\(locked.output)")
    #expect(!locked.output.contains("not checked"), "\(locked.output)")
  }

  @Test("threads that a lock keeps apart have no race in memory")
  func correct() throws {
    let run = try run("Checked/locked")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    #expect(run.output.contains("races in memory are looked for"))
    // The last line says how much was checked.
    let end = /interlock: no race in memory in [1-9][\d,.]* accesses of the modules CheckedTests,/
    #expect(run.output.contains(end), "\(run.output)")
  }

  @Test("accesses that code without the option may order are not decided, and are no issue")
  func undecided() throws {
    for filter in ["HandedOver/watched", "HandedOver/unwatched"] {
      let run = try run(filter)
      #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
      let headline = "interlock: race in memory, not decided: nothing that is seen orders the "
      #expect(run.output.contains(headline), "\(run.output)")
      #expect(run.output.contains("ran in between and may order the two: plain.c.\n"))
    }
    let explored = try run("HandedOver/explored")
    #expect(explored.status == 0 && explored.issues.isEmpty, "\(explored.output)")
    let limit = "; not controlled: code without '-sanitize=thread' that may order accesses"
    #expect(explored.output.contains(limit), "\(explored.output)")
  }

  @Test("a race of accesses that code without the option cannot order is an issue")
  func besidePlainCode() throws {
    let run = try run("HandedOver/beside")
    #expect(run.issues.map(\.test) == ["beside()"], "\(run.issues)\(run.output)")
    let place = try WatchedRun.line("races again", in: "Users.swift", of: "CheckedTests")
    #expect(run.issues.map(\.place) == [place], "\(run.issues)")
  }

  @Test("a race in memory between two tests is an issue of both")
  func shared() throws {
    let run = try run("Shared/")
    #expect(Set(run.issues.map(\.test)) == ["first()", "second()"], "\(run.issues)\(run.output)")
    #expect(run.issues.count == 2)
  }

  @Test("a race of threads that belong to no running test is an issue of the run")
  func unowned() throws {
    let run = try run("Unowned/")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.issues.map(\.test) == [""], "\(run.issues)\(run.output)")
    #expect(run.issues.first?.text.contains("of the run") == true)
  }

  @Test("a race without the trait sets the exit code of the process, or traps")
  func unwatched() throws {
    let logged = try run("Unwatched/", "on_conflict=log")
    #expect(logged.status == 66, "\(logged.output)")
    #expect(logged.output.contains("interlock: race in memory: nothing orders the "))
    #expect(logged.output.contains("\n  accessed: Users.count\n"))
    #expect(logged.output.contains("the exit code is 66: 1 race in memory"))
    #expect(!logged.output.contains("no race in memory"))
    let recorded = try run("Unwatched/", "on_conflict=record exit_code=7")
    #expect(recorded.status == 7, "\(recorded.output)")
    #expect(!recorded.output.contains("nothing orders the "))
    let twice = try run("UnwatchedTwice/", "on_conflict=log")
    #expect(twice.output.contains("the exit code is 66: 1 race in memory"), "\(twice.output)")
    #expect(twice.output.matches(of: /interlock: race in memory: nothing/).count == 1)
    let trapped = try run("Unwatched/")
    #expect(trapped.status < 0 || trapped.status > 128, "\(trapped.status)\(trapped.output)")
  }

  @Test("a race that a thread has found when the process ends is reported")
  func last() throws {
    let run = try run("LastRace", "on_conflict=log")
    #expect(run.output.contains("interlock: race in memory: nothing orders the "), "\(run.output)")
    #expect(run.status == 66, "\(run.output)")
  }

  @Test("memory is not checked if an option says so, and a line says that")
  func off() throws {
    let run = try run("Checked/threads", "memory=off")
    #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
    #expect(run.output.contains("races in memory are not looked for: 'memory=off'"))
    #if arch(x86_64)
    #expect(run.output.contains(/'memory=off'; [0-9,]{4,} calls of the check are left out\n/))
    #endif
  }

  @Test(
    "races in memory are reported with the other findings of the process",
    arguments: ["Checked/threads", "Unwatched/"])
  func reported(_ filter: String) throws {
    let file = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).sarif"
    defer { try? FileManager.default.removeItem(atPath: file) }
    _ = try run(filter, "on_conflict=log report=sarif:\(file)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("memory-race"))
    #expect(text.contains("Users.swift"))
    #expect(text.contains("relatedLocations"))
  }

  @Test(
    "a race of the baseline is shown and does not fail its test",
    arguments: [
      #"{ "function": "Users.*", "reason": "old" }"#,
      #"{ "file": "CheckedTests/Users.swift", "reason": "old" }"#,
      #"{ "kind": "memory-race", "type": "Users", "reason": "old" }"#,
    ])
  func known(_ pattern: String) throws {
    for filter in ["Checked/threads", "Unwatched/", "ExploredRaces/(first|sameLine)"] {
      let run = try run(filter, "on_conflict=log baseline=\(try baseline(pattern))")
      #expect(run.status == 0 && run.issues.isEmpty, "\(run.issues)\(run.output)")
      #expect(run.output.contains("interlock: race in memory, known (old): nothing orders"))
      #expect(run.output.contains(": 1 known race shown and not failed\n"))
    }
  }

  @Test("a pattern of the baseline that matches no race any more is named, and other races fail")
  func stale() throws {
    let pattern = #"{ "kind": "memory-race", "type": "Groups", "reason": "old" }"#
    let run = try run("Unwatched/", "on_conflict=log baseline=\(try baseline(pattern))")
    #expect(run.status == 66, "\(run.output)")
    #expect(run.output.contains(": 0 known races shown and not failed, 1 stale\n"))
    #expect(
      run.output.contains("stale in this process: pattern memory-race on '*' in *, type Groups"))
  }

  @Test("the fault of a baseline is one line, and memory is checked without the baseline")
  func badBaseline() throws {
    let file = try baseline(#"{ "reason": "x" }"#)
    let run = try run("Unwatched/", "on_conflict=log baseline=\(file)")
    #expect(run.status == 66, "\(run.output)")
    #expect(run.output.contains(":5: a suppression must not match every finding"))
  }

  /// A file with one suppression.
  private func baseline(_ pattern: String) throws -> String {
    let file = NSTemporaryDirectory() + "interlock-\(UUID().uuidString).json"
    let text = """
      {
        "schema": "interlock-known-findings", "schemaVersion": 1,
        "known": [],
        "suppress": [
          \(pattern)
        ]
      }
      """
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
