import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct ConditionTests {
  @Test(
    "a signal that comes before the wait is found",
    arguments: ["lost-signal", "flag-outside-lock"])
  func lostSignal(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.text.contains("thread 0 waits"))
  }

  @Test(
    "a wait outside a loop fails when it ends without a signal",
    arguments: ["wait-without-loop", "two-waits-without-loop"])
  func noLoop(_ body: String) throws {
    #expect(try Exploration(body).verdict == INTERLOCK_EXPLORED_FAILED)
  }

  @Test("initialisers that wait for each other deadlock")
  func crossedInitialisers() throws {
    let exploration = try Exploration("crossed-initialisers")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
  }
}
