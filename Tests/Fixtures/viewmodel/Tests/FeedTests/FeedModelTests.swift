import Feed
import Foundation
import InterlockTesting
import Testing

@Test func loadsWhileTheViewReads() async throws {
  let model = FeedModel()
  try await stress(
    model, callers: 4, rounds: 1_000, hangLimit: .seconds(5), isolation: .process
  ) { model, caller in
    if caller.index == 0 {
      model.load(caller.round)
    } else {
      _ = await model.count
    }
  }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["SECOND_FAULT"] != nil))
func showsTheLastItem() async throws {
  try await stress(FeedModel(), callers: 1, rounds: 1, isolation: .process) { model, _ in
    _ = model.last()
  }
}
