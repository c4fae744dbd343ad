import Foundation
import InterlockTesting
import Server
import Testing

@Test func answersManyRequests() async throws {
  try await stress(
    Server(), callers: 512, rounds: 2, by: .queue, hangLimit: .seconds(5), isolation: .process
  ) { server, caller in
    #expect(server.answer(caller.index) == caller.index * 2)
  }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["SECOND_FAULT"] != nil))
func answersTheLargestRequest() async throws {
  try await stress(Server(), callers: 1, rounds: 1, isolation: .process) { server, _ in
    _ = server.answer(.max)
  }
}
