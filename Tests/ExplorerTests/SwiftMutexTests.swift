import CInterlockExplorer
import TestSupport
import Testing

@Suite("A Mutex of the standard library in an explored body", .serialized, .controlled, .offThePool)
struct SwiftMutexTests {
  @Test(
    "has its orders explored: a lost update is found",
    arguments: ["mutex-lost-update", "mutex-global"])
  func lostUpdate(_ body: String) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(exploration.escaped == "")
  }

  @Test(
    "is one lock: each order of its critical sections is run once",
    arguments: [("mutex-kept-update", 2), ("mutex-in-order", 2), ("mutex-3x3", 1680)])
  func orders(_ body: String, _ count: Int) throws {
    let exploration = try Exploration(body, "--search", "dpor", "--executions", "100000")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.isComplete && exploration.executions == count)
    #expect(exploration.escaped == "")
  }

  @Test("deadlocks where two are locked in crossed order, and each blocked thread is named")
  func crossed() throws {
    let exploration = try Exploration("mutex-crossed", "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.text.contains("thread 1 waits (lock of"))
    #expect(exploration.text.contains("thread 2 waits (lock of"))
  }

  @Test("takes the claim away where code that is not seen unlocks it")
  func unlockedUnseen() throws {
    let exploration = try Exploration("mutex-unlocked-unseen", "--search", "dpor")
    #expect(exploration.escaped == "a Mutex that unknown code unlocks")
  }

  @Test("is tried both ways")
  func tried() throws {
    let exploration = try Exploration("mutex-tried", "--search", "dpor", "--executions", "1000")
    #expect(exploration.isComplete && exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.outcomes == ["1", "2", "busy"])
  }

  @Test("traps where its holder locks it again, as it does without an exploration")
  func lockedAgain() throws {
    let exploration = try Exploration("mutex-locked-again", "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.text.contains("SIGILL"))
  }
}
