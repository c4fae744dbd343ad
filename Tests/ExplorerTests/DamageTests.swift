import CInterlockExplorer
import Foundation
import TestSupport
import Testing

/// Bodies that destroy memory, in processes of their own.
@Suite(.serialized, .controlled, .offThePool) struct DamageTests {
  @Test(
    "a body that overwrites all memory that its process shares is a finding and ends only itself",
    arguments: [
      "random", "ones", "small", "large", "random-and-exit", "ones-and-exit", "everywhere",
    ], ["--isolated", "--forks-each"])
  func scribbles(_ pattern: String, _ option: String) throws {
    let exploration = try Exploration(
      "scribble-\(pattern)", option, "--executions", "3", "--budget", "1000000000")
    #expect(exploration.status == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.failures == 1)
    // Counts started executions: an execution may end itself, or its writes may end a later one.
    #expect((1...3).contains(exploration.executions))
  }

  @Test("a body that overwrites the count of executions does not change the number of its order")
  func scribbledCount() throws {
    let exploration = try Exploration(
      "scribble-in-third", "--isolated", "--search", "random", "--budget", "10000000000")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.executions == 3)
  }

  @Test(
    "a body that writes zeros over the memory that its process shares ends nothing else",
    arguments: ["--isolated", "--forks-each"])
  func zeros(_ option: String) throws {
    let exploration = try Exploration(
      "scribble-zeros", option, "--executions", "3", "--budget", "100000000")
    #expect(exploration.status == 0)
    #expect(!exploration.isComplete)
  }

  @Test(
    "a livelock in a separate process is found with the default limit of steps",
    arguments: ["--isolated", "--forks-each"])
  func livelock(_ option: String) throws {
    let exploration = try Exploration(
      "livelock", option, "--steps", "1000000", "--executions", "1")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_LIVELOCK)
  }

  @Test(
    "a call with a path that is too long fails as without the explorer, and is no choice",
    arguments: ["long-path", "longest-path"])
  func longPath(_ body: String) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
  }

  @Test(
    "a block that is freed twice is a finding if the heap can still be used",
    arguments: [[], ["--isolated"]])
  func doubleFree(_ options: [String]) throws {
    let child = try TestChild(
      ["double-free", "--fault-beside", "--executions", "5"] + options, limit: 60,
      at: #_sourceLocation)
    #expect(child.status == 0)
    #expect(child.facts["signal"] == "\(SIGABRT)")
    #expect(child.facts["failures"] == "1")
  }

  @Test("a fault that leaves the heap locked ends the process, with a token of the order")
  func lockedHeap() throws {
    let child = try TestChild(
      ["double-free-under-lock", "--fault-beside", "--executions", "5"], limit: 60,
      withErrors: true, at: #_sourceLocation)
    #expect(child.status == -SIGABRT)
    let lines = child.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("was ended by SIGABRT, and the process can allocate") })
    let token = try #require(lines.last?.split(separator: " ").last).description
    #expect(lines.last == "interlock: its order is \(token)")
    var schedule = interlock_schedule()
    defer { interlock_schedule_destroy(&schedule) }
    var width: UInt32 = 0
    #expect(interlock_token_read(token, "double-free-under-lock", &width, &schedule) == nil)
  }

  @Test("a fault that leaves the heap locked in a separate process is a finding")
  func lockedHeapOfChild() throws {
    let exploration = try Exploration(
      "double-free-under-lock", "--isolated", "--fault-beside", "--executions", "5")
    #expect(exploration.status == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.signal == SIGABRT)
  }

  @Test("a fault of a thread that is not explored goes to the program's handler only")
  func faultBeside() throws {
    let exploration = try Exploration(
      "fault-after-another-threads", "--fault-beside", "--executions", "3")
    #expect(exploration.status == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.text == "thread 0 was ended by SIGSEGV")
  }
}
