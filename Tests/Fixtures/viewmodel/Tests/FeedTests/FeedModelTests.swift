import Feed
import InterlockTesting
import Testing

@Test func loadsWhileTheViewReads() async throws {
  let model = FeedModel()
  try await stress(model, callers: 4, rounds: 1_000, hangLimit: .seconds(5)) { model, caller in
    if caller.index == 0 {
      model.load(caller.round)
    } else {
      _ = await model.count
    }
  }
}
