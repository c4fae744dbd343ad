import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct QueueTests {
  @Test(
    "each order in which blocks can run on their queue is seen, and no other",
    arguments: [
      // Two callers: blocks of one caller keep their order.
      ("serial-order", "3", ["aAbB", "abAB", "abBA", "bBaA", "baAB", "baBA"]),
      ("serial-from-one-thread", "3", ["0123s"]),
      ("concurrent-order", "1", ["012"]),
      // The third block comes to a worker only once the first or second has ended.
      ("concurrent-order", "2", ["012", "021", "102", "120"]),
      ("concurrent-order", "3", ["012", "021", "102", "120", "201", "210"]),
      ("suspended-between-blocks", "3", ["01s", "0s1", "s01"]),
      ("timers-at-once", "3", ["01", "10"]),
      ("group-time-out", "3", ["success", "timed out"]),
      ("semaphore-time-out", "3", ["later none", "later success", "success", "timed out"]),
      ("work-item-cancelled", "3", ["cancelled", "ran"]),
    ])
  func orders(_ body: String, _ width: String, _ expected: [String]) throws {
    let exploration = try Exploration(body, "--pool-width", width)
    #expect(exploration.failures == 0)
    #expect(exploration.outcomes == expected)
  }

  @Test(
    "an order that fails is found",
    arguments: [
      "check-then-act", "writes-without-barrier", "no-shared-target", "early-notify", "late-enter",
      "semaphore-as-lock", "perform", "operations-lost-update",
    ])
  func failingOrder(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(exploration.failures == 1)
    #expect(exploration.escaped == "")
  }

  @Test(
    "a correct program on queues passes in each of 1,000 executions",
    arguments: [
      "check-then-act-repaired", "writes-with-barrier", "sync-within-sync", "ordered-syncs",
      "shared-target", "suspended", "inactive", "queue-identity", "main-queue", "notify",
      "late-enter-repaired", "semaphore-as-lock-repaired", "work-item", "work-item-barrier",
      "perform-repaired", "timer-source", "operations", "balanced-resumes",
      "suspended-before", "suspended-queues-of-the-system",
      "dry-pool", "reads-through-serial-queue", "resumed-objects-released", "suspended-queue-kept",
      "timer-kept-by-its-handler",
    ])
  func correct(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.executions == 1000)
    #expect(exploration.failures == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.leftBehind == 0)
    #expect(exploration.escaped == "")
  }

  @Test(
    "a call at which libdispatch traps is misuse",
    arguments: [
      "sync-on-own-queue", "sync-on-own-queue-by-block", "sync-on-own-barrier",
      "sync-on-own-barrier-by-block", "sync-on-own-target", "wrong-queue", "unbalanced-leave",
      "over-resumed", "over-resumed-inactive", "over-resumed-timer", "resumed-before-suspended",
      "timer-resumed-before-suspended", "suspended-queue-released",
      "suspended-queue-with-block-released", "inactive-queue-released", "suspended-timer-released",
      "inactive-timer-released", "cancelled-inactive-timer-released",
      "suspended-data-source-released", "suspended-target-released",
    ])
  func misuse(_ body: String) throws {
    let exploration = try Exploration(body)
    let waitsForItself = body.hasPrefix("sync-on-own")
    let verdict = waitsForItself ? INTERLOCK_EXPLORED_SELF_WAIT : INTERLOCK_EXPLORED_MISUSE
    #expect(exploration.verdict == verdict)
    #expect(exploration.text.contains("libdispatch traps"))
  }

  @Test("a leave that may come before its enter is found; other leaves have one order")
  func leaves() throws {
    for body in ["leave-or-enter", "leave-or-enter-behind-locks"] {
      let exploration = try Exploration(body, "--search", "dpor")
      #expect(exploration.verdict == INTERLOCK_EXPLORED_MISUSE, "\(body)")
    }
    let balanced = try Exploration("balanced-leaves", "--search", "dpor", "--pool-width", "0")
    #expect(balanced.isComplete && balanced.executions == 1)
  }

  @Test(
    "reduced search has every outcome of calls that only look",
    arguments: [
      ("leaves-and-notify", ["abn", "anb", "ban", "bna", "nab", "nba"]),
      ("queue-specific", ["0", "1", "later 1"]), ("tried-join", ["busy", "joined"]),
      ("semaphore-value", ["0", "1"]),
    ])
  func looks(_ body: String, _ outcomes: [String]) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.outcomes == outcomes)
    #expect(exploration.escaped == "")
  }

  @Test(
    "a call that no order controls is named",
    arguments: [("threads-of-c11", "mtx_lock"), ("waiting-poll", "a wait for descriptors")])
  func outside(_ body: String, _ name: String) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.failures == 0 && exploration.escaped == name)
  }

  @Test("a semaphore that is freed below its first value traps, as in libdispatch")
  func freedSemaphore() throws {
    let tooLow = try Exploration("semaphore-freed-too-low", "--isolated")
    #expect(tooLow.verdict == INTERLOCK_EXPLORED_CRASHED)
    let asItBegan = try Exploration("semaphore-freed-as-it-began", "--isolated")
    #expect(asItBegan.failures == 0 && asItBegan.executions > 1)
  }

  @Test(
    "queues that wait for each other deadlock, and no pool is reported as dry",
    arguments: ["crossed-syncs", "barrier-within-sync", "suspended-for-ever"])
  func deadlock(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.dryPoolWidth == 0)
  }

  @Test("a block that waits for another block needs a pool of two threads")
  func dryPool() throws {
    let narrow = try Exploration("dry-pool", "--pool-width", "1")
    #expect(narrow.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(narrow.dryPoolWidth == 1)
    let wide = try Exploration("dry-pool", "--pool-width", "2")
    #expect(wide.executions == 1000)
    #expect(wide.failures == 0)
  }

  @Test(
    "1,000 reads through a concurrent queue dry up a pool of any size",
    arguments: [64, 255])
  func reads(_ width: Int) throws {
    // The empty replay hands over all reads before the first one begins.
    let concurrent = try Exploration("reads", "--pool-width", String(width), "--replay", "")
    #expect(concurrent.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(concurrent.dryPoolWidth == width)
    let serial = try Exploration(
      "reads-through-serial-queue", "--pool-width", String(width), "--executions", "5")
    #expect(serial.executions == 5)
    #expect(serial.failures == 0)
  }

  @Test(
    "a choice on queues is replayed", arguments: ["check-then-act", "crossed-syncs", "perform"])
  func replay(_ body: String) throws {
    let found = try Exploration(body)
    let replayed = try Exploration(body, "--replay", found.choices, "--facts", found.facts)
    #expect(replayed.verdict == found.verdict)
    #expect(replayed.hash == found.hash)
  }
}
