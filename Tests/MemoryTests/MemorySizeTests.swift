import Testing

@Suite("The memory of the check")
struct MemorySizeTests {
  @Test("A block that waits on a queue needs less than half a page, with the block itself")
  func waitingBlocks() throws {
    let run = try MemoryProgram("waiting_blocks")
    #expect(run.status == 0)
    #expect(try #require(run.bytes) < 2_000)
  }

  @Test("A waiting task needs no more than a few times its own size, with the task itself")
  func waitingTasks() throws {
    let run = try MemoryProgram("waiting_tasks")
    #expect(run.status == 0)
    #expect(try #require(run.bytes) < 7_000)
  }

  @Test("100,000 blocks that have ended leave no memory behind")
  func endedBlocks() throws {
    let run = try MemoryProgram("ended_blocks")
    #expect(run.status == 0)
    #expect(try #require(run.bytes) < 4_000_000)
  }
}
