import CInterlockExplorer
import TestSupport
import Testing

@Suite("A Mutex of the standard library is explored", .serialized, .controlled, .offThePool)
struct SwiftMutexTests {
  @Test(
    "an update that is lost between two critical sections of a Mutex is found",
    arguments: ["mutex-lost-update", "mutex-global"])
  func lostUpdate(_ body: String) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(exploration.escaped == "")
  }

  @Test(
    "each order of a Mutex's critical sections is run once",
    arguments: [("mutex-kept-update", 2), ("mutex-in-order", 2), ("mutex-3x3", 1680)])
  func orders(_ body: String, _ count: Int) throws {
    let exploration = try Exploration(body, "--search", "dpor", "--executions", "100000")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.isComplete && exploration.executions == count)
    #expect(exploration.escaped == "")
  }

  @Test("Mutexes locked in crossed order deadlock, and each blocked thread is named")
  func crossed() throws {
    let exploration = try Exploration("mutex-crossed", "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.text.contains("thread 1 waits (lock of"))
    #expect(exploration.text.contains("thread 2 waits (lock of"))
  }

  @Test("a Mutex that unseen code unlocks takes the claim of completeness away")
  func unlockedUnseen() throws {
    let exploration = try Exploration("mutex-unlocked-unseen", "--search", "dpor")
    #expect(exploration.escaped == "a Mutex that unknown code unlocks")
  }

  @Test("a try of a Mutex is explored both ways")
  func tried() throws {
    let exploration = try Exploration("mutex-tried", "--search", "dpor", "--executions", "1000")
    #expect(exploration.isComplete && exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.outcomes == ["1", "2", "busy"])
  }

  @Test("a Mutex traps when its holder locks it again, as without the explorer")
  func lockedAgain() throws {
    let exploration = try Exploration("mutex-locked-again", "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(exploration.text.contains("SIGILL"))
  }
}
