import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct ExecutionTests {
  @Test(
    "a failure's choices give the same verdict and the same trace in another process",
    arguments: [
      "lost-update", "crossed-locks", "lost-signal", "upgraded-read", "crossed-initialisers",
      "trap", "condition-lock",
    ])
  func replay(_ body: String) throws {
    let found = try Exploration(body)
    let replayed = try Exploration(body, "--replay", found.choices, "--facts", found.facts)
    #expect(found.failures == 1)
    #expect(replayed.executions == 1)
    #expect(replayed.verdict == found.verdict)
    #expect(replayed.hash == found.hash)
  }

  @Test("an execution without a switch keeps all updates of the first thread")
  func replayOther() throws {
    let replayed = try Exploration("lost-update", "--replay", "")
    #expect(replayed.executions == 1)
    #expect(replayed.failures == 0)
  }

  @Test(
    "OS threads take the same choices to the same trace",
    arguments: ["lost-update", "crossed-locks", "lost-signal", "upgraded-read"])
  func osThreads(_ body: String) throws {
    let switched = try Exploration(body)
    let handedOver = try Exploration(body, "--os-threads")
    #expect(switched.failures == 1)
    #expect(handedOver.verdict == switched.verdict)
    #expect(handedOver.executions == switched.executions)
    #expect(handedOver.hash == switched.hash)
    #expect(handedOver.choices == switched.choices)
  }

  @Test("OS threads run on one processor, and the body counts all of them")
  func processors() throws {
    #expect(try Exploration("processors", "--os-threads").failures == 0)
  }

  @Test("a trap in one order is a finding, and the search goes on")
  func trap() throws {
    let exploration = try Exploration("trap", "--keep-going", "--executions", "300")
    #expect(exploration.status == 0)
    #expect(exploration.executions == 300)
    #expect(exploration.failures > 0)
    #expect(exploration.failures < 300)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.signal == 4 || exploration.signal == 5)
  }

  @Test("a deadlock in one order is a finding, and the search goes on")
  func deadlocks() throws {
    let exploration = try Exploration("crossed-locks", "--keep-going", "--executions", "300")
    #expect(exploration.executions == 300)
    #expect(exploration.failures > 0)
    #expect(exploration.failures < 300)
  }

  @Test("a stack overflow ends the execution, not the process")
  func overflow() throws {
    let exploration = try Exploration("deep-recursion")
    #expect(exploration.status == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
  }

  @Test("a loop that only yields reaches the limit of steps")
  func livelock() throws {
    let exploration = try Exploration("livelock")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_LIVELOCK)
  }

  @Test(
    "a thread that polls for another thread's step is no livelock in any order",
    arguments: ["dpor", "dfs", "random"])
  func polling(_ search: String) throws {
    let exploration = try Exploration("polling", "--search", search, "--executions", "50")
    #expect(exploration.failures == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(!exploration.isComplete)
  }

  @Test(
    "a polling order continues by a fair schedule once its limit of chosen steps is reached",
    arguments: [(10_000, true), (500, false)])
  func chosenSteps(_ steps: Int, _ isLong: Bool) throws {
    let exploration = try Exploration(
      "polling", "--search", "dfs", "--executions", "20", "--chosen-steps", "\(steps)")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(!exploration.isComplete)
    let perExecution = exploration.steps / exploration.executions
    #expect((perExecution > 5_000) == isLong, "\(perExecution)")
    #expect((perExecution < 1_000) == !isLong, "\(perExecution)")
  }

  @Test("sleeps of fractions of a second end")
  func fractions() throws {
    let exploration = try Exploration("fractions-of-a-second", "--search", "dpor")
    #expect(exploration.isComplete)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
  }

  @Test("a loop that reaches no point is ended by the limit of real time")
  func endless() throws {
    let exploration = try Exploration("endless")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_TIMED_OUT)
  }

  @Test("the limit of real time ends and names a wait in a system call that is not controlled")
  func systemCall() throws {
    let exploration = try Exploration("empty-pipe")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_TIMED_OUT)
    #expect(exploration.escaped == "a call on a pipe, a wait in a system call")
  }

  @Test("200 threads run, and a thread that the body leaves behind is counted")
  func threads() throws {
    let many = try Exploration("many-threads", "--executions", "20")
    #expect(many.executions == 20)
    #expect(many.failures == 0)
    let left = try Exploration("left-behind", "--executions", "50")
    #expect(left.failures == 0)
    #expect(left.leftBehind > 0)
  }

  @Test("the same seed gives the same executions, and another seed others")
  func seeds() throws {
    let first = try Exploration("lock-3x3", "--seed", "7")
    #expect(try Exploration("lock-3x3", "--seed", "7").hash == first.hash)
    #expect(try Exploration("lock-3x3", "--seed", "8").hash != first.hash)
  }
}
