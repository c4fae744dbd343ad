import CInterlockExplorer
import TestSupport
import Testing

/// Calls of Foundation, and initialisers of globals.
@Suite(.serialized, .controlled, .offThePool) struct LibraryTests {
  private static let everyOrder = [
    "--search", "dpor", "--pool-width", "0", "--executions", "100000",
  ]
  private static let takesLock = UInt32(INTERLOCK_FACT_INITIALISERS.rawValue)

  @Test("an operation may begin between two calls of Foundation")
  func betweenCalls() throws {
    let exploration = try Exploration("operation-priorities", options: Self.everyOrder)
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.outcomes == ["0hl", "0lh"])
    let suspended = try Exploration("operation-priorities-suspended", options: Self.everyOrder)
    #expect(suspended.isComplete && suspended.failures == 0)
    #expect(suspended.outcomes == ["h0l"])
  }

  @Test("a choice at each call of Foundation adds few orders")
  func fewOrders() throws {
    let exploration = try Exploration("operations", options: Self.everyOrder)
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.executions <= 50)
  }

  @Test("a cycle of a lock and the initialiser of a global is found, each order in its own process")
  func initialiserTakesLock() throws {
    let options = Self.everyOrder + ["--forks-each"]
    let cycle = try Exploration("global-locks-what-its-user-holds", options: options)
    #expect(cycle.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(cycle.text.contains("shared lock of"))
    let replayed = try Exploration(
      "global-locks-what-its-user-holds", "--forks-each", "--replay", cycle.choices, "--facts",
      cycle.facts)
    #expect(replayed.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    let correct = try Exploration("global-locks-another", options: options)
    #expect(correct.isComplete && correct.failures == 0 && correct.executions > 1)
  }

  @Test("in one process, the initialiser of a global that takes a lock counts as kept state")
  func initialiserIsKeptState() throws {
    for body in ["global-locks-what-its-user-holds", "global-locks-another"] {
      let exploration = try Exploration(body, options: Self.everyOrder)
      #expect(exploration.facts == "\(Self.takesLock)", "\(body)")
    }
  }

  @Test("the initialiser of a global without operations adds no orders and no facts")
  func initialiserWithoutOperations() throws {
    for options in [Self.everyOrder, Self.everyOrder + ["--forks-each"]] {
      let exploration = try Exploration("global-without-operations", options: options)
      #expect(exploration.isComplete && exploration.executions == 1)
      #expect(exploration.facts == "0")
    }
    // The body as part of one that keeps state: the initialiser's order still changes nothing.
    let known = ["--forks-each", "--facts", "\(Self.takesLock)"]
    let withFact = try Exploration("global-without-operations", options: Self.everyOrder + known)
    #expect(withFact.isComplete && withFact.failures == 0 && withFact.executions <= 2)
  }
}
