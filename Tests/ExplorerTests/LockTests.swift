import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct LockTests {
  @Test(
    "an update that is lost between two locked steps is found",
    arguments: [
      "lost-update", "condition-lock", "upgraded-read", "semaphore-lost-update",
      "foundation-threads",
    ])
  func lostUpdate(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(exploration.failures == 1)
  }

  @Test(
    "a correct program passes in each of 1,000 executions",
    arguments: [
      "kept-update", "lock-3x3", "ordered-locks", "recursive-lock", "mutex-kinds",
      "semaphore-kept-update", "awaited-signal", "barrier", "once", "specific-data",
      "specific-data-set-again",
      "joined-value", "sleeps",
    ])
  func correct(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.executions == 1000)
    #expect(exploration.failures == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.leftBehind == 0)
    #expect(exploration.escaped == "")
  }

  @Test("locks that are taken in crossed order deadlock, and each blocked thread is named")
  func crossedLocks() throws {
    let exploration = try Exploration("crossed-locks")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.text.contains("thread 1 waits (lock of"))
    #expect(exploration.text.contains("thread 2 waits (lock of"))
  }

  @Test("a thread that locks its own mutex again waits for ever")
  func ownLock() throws {
    let exploration = try Exploration("own-lock-again")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
  }

  @Test(
    "each try and each time limit is explored both ways",
    arguments: [
      ("try-lock", ["acquired", "busy"]),
      ("timed-lock", ["acquired", "timed out"]),
      ("timed-wait", ["signalled", "timed out"]),
      ("semaphore-limit", ["signalled", "timed out"]),
      ("spin-lock", ["1", "2"]),
      ("signal-wakes-any", ["A was first", "B was first"]),
      ("same-instant", ["AB", "BA"]),
      (
        "readers-together",
        ["0 readers, 1 writers", "1 readers, 0 writers", "2 readers, 0 writers"]
      ),
    ])
  func bothWays(_ body: String, _ outcomes: [String]) throws {
    let exploration = try Exploration(body)
    #expect(exploration.failures == 0)
    #expect(exploration.outcomes == outcomes)
  }

  @Test("threads wait for a Mutex that is held across a point")
  func mutex() throws {
    let exploration = try Exploration("mutex-in-wait")
    #expect(exploration.failures == 0)
    #expect(exploration.escaped == "")
  }
}
