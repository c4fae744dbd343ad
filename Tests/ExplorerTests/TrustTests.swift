import CInterlockExplorer
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct TrustTests {
  @Test(
    "the result names the first step that differs in a body that its choices do not determine",
    arguments: ["state-left-behind", "random"])
  func notDeterministic(_ body: String) throws {
    let exploration = try Exploration(body, "--check", "50")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_NOT_DETERMINISTIC)
    #expect(exploration.text.contains("; the second time, "))
  }

  @Test(
    "a body that is determined by its choices is run twice without a finding",
    arguments: [
      "kept-update", "signal-wakes-any", "timed-wait", "barrier", "specific-data",
      "locks-in-the-order-of-a-dictionary",
    ])
  func deterministic(_ body: String) throws {
    let exploration = try Exploration(body, "--check", "50")
    #expect(exploration.executions == 1000)
    #expect(exploration.failures == 0)
  }

  @Test("a body that ends the process is a finding with its choices", arguments: [false, true])
  func exits(_ isIsolated: Bool) throws {
    // No wait of the body has a limit, so `--exact-time` changes nothing.
    let option = isIsolated ? "--isolated" : "--exact-time"
    let exploration = try Exploration("exit", option)
    #expect(exploration.status == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_MISUSE)
    #expect(exploration.text == "the body called exit(3), which ends the process")
    let replayed = try Exploration(
      "exit", option, "--replay", exploration.choices, "--facts", exploration.facts)
    #expect(replayed.executions == 1)
    #expect(replayed.text == exploration.text)
  }

  @Test("a body that kills its separate process is a finding")
  func killed() throws {
    let killed = try Exploration("killed", "--isolated")
    #expect(killed.signal == 9)
  }

  @Test(
    "a separate process ends with the process that started it",
    arguments: ["--isolated", "--forks-each"])
  func endsWithParent(_ option: String) throws {
    let parent = Process()
    parent.executableURL = try TestChild.executable()
    parent.arguments = ["never-ends", option]
    parent.standardError = FileHandle.nullDevice
    let output = try ProcessStart.alone {
      let output = Pipe()
      parent.standardOutput = output
      try parent.run()
      return output
    }
    // Parent and child keep the pipe open until they end.
    let end = output.fileHandleForReading
    let number = String(decoding: end.availableData, as: UTF8.self)
    let child = try #require(pid_t(number.trimmingCharacters(in: .newlines)), "\(number)")
    kill(parent.processIdentifier, SIGKILL)
    var poll = pollfd(fd: end.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let isOver = Glibc.poll(&poll, 1, 10_000) == 1
    #expect(isOver && end.availableData.isEmpty, "the child goes on")
    if !isOver { kill(child, SIGKILL) }
    // Only now: the child inherits the descriptor by which Foundation sees the parent's end.
    parent.waitUntilExit()
  }

  @Test(
    "a separate process runs the same executions", arguments: ["lost-update", "kept-update"])
  func isolated(_ body: String) throws {
    let own = try Exploration(body)
    let isolated = try Exploration(body, "--isolated")
    #expect(isolated.executions == own.executions)
    #expect(isolated.hash == own.hash)
    #expect(isolated.choices == own.choices)
  }

  @Test(
    "one process for each execution finds the same orders as one for all, with each search",
    arguments: [
      ("lost-update", "random"), ("kept-update", "dpor"), ("signal-wakes-any", "dpor"),
      ("timed-wait", "dfs"), ("barrier", "dpor"), ("serial-order", "dpor"),
    ])
  func forksEach(_ body: String, _ search: String) throws {
    let own = try Exploration(body, "--search", search, "--executions", "400")
    let apart = try Exploration(body, "--search", search, "--executions", "400", "--forks-each")
    #expect(apart.executions == own.executions)
    #expect(apart.failures == own.failures)
    #expect(apart.isComplete == own.isComplete)
    #expect(apart.cut == own.cut)
    #expect(apart.choices == own.choices)
  }

  @Test("one process for each execution removes state that outlives a body, but not chance")
  func forksEachState() throws {
    let left = try Exploration("state-left-behind", "--check", "5", "--forks-each")
    #expect(left.failures == 0)
    // Half of the pairs of executions differ.
    let chance = try Exploration("random", "--check", "40", "--forks-each")
    #expect(chance.verdict == INTERLOCK_EXPLORED_NOT_DETERMINISTIC)
    #expect(chance.text.contains("; the second time, "))
  }

  @Test("readers get the events of explored threads in the order of each thread")
  func events() throws {
    let passed = try Exploration("lock-3x3", "--read-events")
    #expect(passed.acquisitions >= 9 * 1000)
    #expect(passed.eventErrors == 0)
    #expect(passed.unanswered == 0)
    #expect(passed.unreleased == 0)
  }

  @Test("the wait table shows the threads of a deadlock, and none of them afterwards")
  func waitTable() throws {
    let blocked = try Exploration(
      "crossed-locks", "--read-waits", "--keep-going", "--executions", "300")
    #expect(blocked.failures > 0)
    #expect(blocked.outcomes == ["2 hold and wait"])
    #expect(blocked.stillBlocked == 0)
  }

  @Test("readers see what each thread of a deadlock holds and waits for")
  func deadlockEvents() throws {
    let blocked = try Exploration("crossed-locks", "--read-events")
    #expect(blocked.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(blocked.unanswered == 2)
    #expect(blocked.unreleased == 2)
    #expect(blocked.eventErrors == 0)
  }
}
