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

    @Test(
      "A semaphore that others signal, or a mutex that others unlock, keeps no orders apart surely",
      arguments: [
        ["slots", "1"], ["slots", "1", "kept"], ["completion-signals"], ["gate-handed-over"],
      ])
    func releasedGates(program: [String]) throws {
      let child = try ChildRun(arguments: program, options: "predict=on fail_on=potential")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      #expect(
        child.errors.contains("1 cycle of locks: undecided, since a lock or a semaphore that one"),
        "\(child.errors)")
      #expect(!child.errors.contains("lock-order"), "\(child.errors)")
    }

    @Test("A semaphore is a gate if its holders signal it; one with room for two is none")
    func semaphores() throws {
      #expect(try !isPredicted("semaphore-as-gate"))
      #expect(try isPredicted("slots", "2"))
    }

    @Test("A mutex that another thread unlocks is no lock", arguments: ["living", "ended"])
    func handedOver(locker: String) throws {
      #expect(try !isPredicted("mutex-handed-over", locker))
    }

    @Test("A mutex stays a lock if the C library refuses the unlock of another thread")
    func refusedUnlock() throws {
      #expect(try isPredicted("unlock-refused", "node"))
      #expect(try !isPredicted("unlock-refused", "gate"))
    }

    @Test(
      "Orders under one POSIX spin lock or C11 mutex exclude each other",
      arguments: ["spin", "c11"])
    func spinLocks(kind: String) throws {
      #expect(try !isPredicted("spin-gate", kind, "one"))
      #expect(try isPredicted("spin-gate", kind, "two"))
    }

    @Test("Orders behind one thread barrier do not exclude each other")
    func barriers() throws {
      #expect(try isPredicted("spin-gate", "barrier", "one"))
    }

    @Test("The caller's lock keeps the iterations of concurrentPerform apart, on every thread")
    func iterations() throws {
      #expect(try !isPredicted("apply-under-a-gate", "gated"))
      #expect(try isPredicted("apply-under-a-gate", "free"))
    }

    @Test(
      "An order beyond a bound is missed, and a note says that prediction is not complete",
      arguments: [
        ("under-many-queues", "7", "9", "a thread held more than is followed of one"),
        ("under-many-locks", "8", "16", "there were more orders of locks than are kept"),
      ])
    func bounds(program: String, within: String, beyond: String, note: String) throws {
      #expect(try isPredicted(program, within))
      let child = try ChildRun(program, beyond, options: "predict=on")
      #expect(child.words == ["done"])
      #expect(child.errors.contains("prediction is not complete: \(note)"), "\(child.errors)")
    }

    @Test("A group that a thread polls under a lock of its signaller does not wait")
    func polledGroup() throws {
      #expect(try !isPredicted("polled-under-lock"))
    }
  }
}
