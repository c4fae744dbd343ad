import InterlockTesting
import Server
import Testing

@Test func answersManyRequests() async throws {
  try await stress(Server(), callers: 512, rounds: 2, by: .queue, hangLimit: .seconds(5)) {
    server, caller in
    #expect(server.answer(caller.index) == caller.index * 2)
  }
}
