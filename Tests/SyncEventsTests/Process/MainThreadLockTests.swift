import Testing

extension SyncEvents {
  /// In separate processes, whose main thread serves the main queue.
  @Suite("Prediction of locks that the main thread takes outside the main queue's blocks")
  struct MainThreadLockTests {
    @Test(
      "A deadlock is predicted if a thread syncs on the main queue under the main thread's lock",
      arguments: [
        "main-reads-while-a-thread-shows", "main-reads-between-two-changes",
        "main-calls-a-queue-that-shows",
      ])
    func found(program: String) throws {
      let child = try ChildRun(program, options: "predict=on")
      #expect(child.words == ["done"])
      #expect(child.errors.contains("lock-order: two locks"), "\(child.errors)")
      #expect(child.errors.contains("the main queue"), "\(child.errors)")
    }

    @Test(
      "A lock of the main thread is not predicted if it is released before, or by order",
      arguments: [
        "main-reads-and-a-thread-shows-after-unlock", "main-reads-before-and-after",
        "main-reads-before-a-block", "main-reads-before-its-signal", "main-only-tries",
      ])
    func notFound(program: String) throws {
      let child = try ChildRun(program, options: "predict=on fail_on=potential")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      #expect(child.errors.isEmpty, "\(child.errors)")
    }
  }
}
