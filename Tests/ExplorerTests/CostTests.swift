import TestSupport
import Testing

/// The cost of a step in a body with many threads.
@Suite(.serialized, .controlled, .offThePool) struct CostTests {
  /// Each step examines the thread that took it, the threads that it wakes and 16 others. If it
  /// examined each task, the count per step would be 250 or more.
  @Test(
    "a step examines a few of 500 tasks, not each of them",
    arguments: [
      "many-on-an-actor", "many-in-a-group-on-an-actor", "many-in-a-group", "many-that-yield",
      "many-on-a-serial-queue",
    ])
  func looks(body: String) throws {
    for search in ["dpor", "random"] {
      let exploration = try Exploration(
        body, "--size", "500", "--search", search, "--pool-width", "0", "--executions", "1",
        "--execution-time", "60000000000")
      #expect(exploration.failures == 0, "\(search): \(exploration.text)")
      #expect(exploration.steps > 1000, "\(search)")
      #expect(exploration.looks < 25 * exploration.steps, "\(search)")
    }
  }

  /// 500 pthreads, one for each task, cost more than the steps of the tasks.
  @Test(
    "500 tasks that run one after the other need a few pthreads",
    arguments: [
      "many-on-an-actor", "many-in-a-group-on-an-actor", "many-in-a-group", "many-that-yield",
      "many-on-a-serial-queue",
    ])
  func stacks(body: String) throws {
    let exploration = try Exploration(
      body, "--size", "500", "--search", "dpor", "--pool-width", "0", "--executions", "1",
      "--execution-time", "60000000000")
    #expect(exploration.failures == 0, "\(exploration.text)")
    #expect(exploration.steps > 1000)
    #expect(exploration.stacks > 1)
    #expect(exploration.stacks < 60)
  }
}
