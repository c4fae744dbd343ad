// An actor checks its balance, awaits, and acts on what it has checked: another call comes between.
// A column for each task would take more than 120 characters: each row has the task's name instead.
//
// Prints:
//
//   ✘ Test reenteredActor() recorded an issue at 06-ReenteredActor.swift:48:21: Issue recorded
//   ↳ Expectation failed: await purse.balance >= 0
//     the body failed (order number 2); the shortest schedule found has 2 context switches
//      1  body    begin task
//      2  task 1    begin task  06-ReenteredActor.swift:44
//      3  task 1    to actor #8  06-ReenteredActor.swift:35
//      4  task 2      begin task  06-ReenteredActor.swift:45
//      5  task 2      to actor #8  06-ReenteredActor.swift:35
//      6  task 2      to actor #8  06-ReenteredActor.swift:37
//      7  task 2      end task
//      8  task 1    to actor #8  06-ReenteredActor.swift:37
//      9  task 1    end task
//     10  body    await task 1  06-ReenteredActor.swift:46
//     11  body    await task 2  06-ReenteredActor.swift:46
//     12  body    to actor #8  06-ReenteredActor.swift:42
//     13  body    ✘ 06-ReenteredActor.swift:47
//       #8: actor made at 06-ReenteredActor.swift:45
//     replay: explore(replay: "i1-d7425650-w0-c4d7-8edb4f")
//   ✘ Test reenteredActor() failed after 0.400 seconds with 1 issue.

import InterlockTesting
import Testing

private actor Purse {
  private(set) var balance = 100

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task.yield()
    balance -= amount
  }
}

@Test func reenteredActor() async throws {
  try await explore {
    let purse = Purse()
    async let first: Void = purse.withdraw(80)
    async let second: Void = purse.withdraw(80)
    _ = await (first, second)
    #expect(await purse.balance >= 0)
  }
}
