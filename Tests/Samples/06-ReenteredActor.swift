// An actor checks its balance, awaits, and acts on what it has checked: another call comes between.
//
// Prints:
//
//   ✘ Test reenteredActor() recorded an issue at 06-ReenteredActor.swift:48:21: Issue recorded
//   ↳ Expectation failed: await account.balance >= 0
//     the body failed (order number 12); the shortest schedule found has 2 context switches
//         body               task 1           task 2
//      1  begin task  Task<>.init(name:priority:operation:)
//      2  await task #9  06-ReenteredActor.swift:52
//      3                 begin task  06-ReenteredActor.swift:50
//      4                 to actor #8  06-ReenteredActor.swift:41
//      5                 Task.yield  06-ReenteredActor.swift:44
//      6                 continue  06-ReenteredActor.swift:44
//      7                 continue  06-ReenteredActor.swift:44
//      8                               begin task  06-ReenteredActor.swift:51
//      9                               to actor #8  06-ReenteredActor.swift:41
//     10                               Task.yield  06-ReenteredActor.swift:44
//     11                               continue  06-ReenteredActor.swift:44
//     12                               continue  06-ReenteredActor.swift:44
//     13                               to actor #8  06-ReenteredActor.swift:43
//     14                               end task #12
//     15                 to actor #8  06-ReenteredActor.swift:43
//     16                 end task #9
//     17  continue
//     18  await task #12  06-ReenteredActor.swift:52
//     19  to actor #8  06-ReenteredActor.swift:48
//     20  leave actor  06-ReenteredActor.swift:48
//     21  ✘ 06-ReenteredActor.swift:53
//       #8: actor made at Account.init()
//     replay: explore(replay: "i1-d7425650-w8192-bc5d7-538dd2")
//   ✘ Test reenteredActor() failed after 0.400 seconds with 1 issue.

import InterlockTesting
import Testing

private actor Account {
  private(set) var balance = 100

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task.yield()
    balance -= amount
  }
}

@Test func reenteredActor() async throws {
  try await explore {
    let account = Account()
    async let first: Void = account.withdraw(80)
    async let second: Void = account.withdraw(80)
    _ = await (first, second)
    #expect(await account.balance >= 0)
  }
}
