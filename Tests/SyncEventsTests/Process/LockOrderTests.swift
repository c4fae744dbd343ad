import Testing

extension SyncEvents {
  /// Lock orders that are predicted, and those that cannot deadlock, in separate processes.
  @Suite("Lock orders of a process")
  struct LockOrderTests {
    /// Runs a program with prediction; returns true if it predicts an order of two locks. Nothing
    /// else may be reported.
    private func isPredicted(_ program: String, _ arguments: String...) throws -> Bool {
      let child = try ChildRun(arguments: [program] + arguments, options: "predict=on")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"], "\(child.output)")
      let isPredicted = child.errors.contains("lock-order: two locks")
      if !isPredicted { #expect(child.errors.isEmpty, "\(child.errors)") }
      return isPredicted
    }

    @Test(
      "A task that syncs on the main queue can deadlock with a lock that main takes in any order",
      arguments: [("started-after", false), ("resumed-after", false), ("unordered", true)])
    func tasksAndMain(start: String, canDeadlock: Bool) throws {
      #expect(try isPredicted("task-syncs-on-main", start) == canDeadlock)
    }

    @Test("A group that a thread polls under a lock of its signaller does not wait")
    func polledGroup() throws {
      #expect(try !isPredicted("polled-under-lock"))
    }
  }
}
