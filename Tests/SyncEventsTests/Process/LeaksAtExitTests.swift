import Testing

extension SyncEvents {
  /// The option `leaks`.
  @Suite("Tasks that have not ended")
  struct LeaksAtExit {
    @Test("leaks=on lists at exit the tasks that have not ended, by the places that made them")
    func atExit() throws {
      let child = try ChildRun("leaves-tasks", "followed", options: "leaks=on")
      let lines = try ChildRun.lines(of: "leaves", in: "Programs+Leaks.swift")
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(child.errors.hasPrefix("interlock: at exit, 3 tasks have not ended:\n"))
      #expect(child.errors.contains("it sleeps at \(lines[3])"), "\(child.errors)")
      for part in [
        "  2 tasks made at \(lines[0])",
        "have not ended: they wait for a continuation at \(lines[1])", ", not resumed yet\n",
        "  a task made at \(lines[2])",
      ] {
        #expect(child.errors.contains(part), "\(child.errors)")
      }
      #expect(!child.errors.contains("never"), "\(child.errors)")
    }

    @Test("leaks=on lists at exit the queues, timers, blocks and locks that were left")
    func objects() throws {
      let child = try ChildRun("leaves-objects", options: "leaks=on")
      let lines = try ChildRun.lines(of: "objects", in: "Programs+Leaks.swift")
      #expect(child.status == 0 && child.words == ["done"])
      #expect(
        child.errors.hasPrefix(
          "interlock: at exit, 5 were left of queues, sources, delayed blocks and locks:\n"),
        "\(child.errors)")
      for part in [
        "  a queue made at \(lines[0])", "was left: it is still suspended\n",
        "  2 timers made at \(lines[1])", "were left: they were not cancelled\n",
        "  a delayed block queued at \(lines[2])", "was left: it has not begun yet\n",
        "  a lock acquired at \(lines[3])", "was left: it is still held; made at ",
      ] {
        #expect(child.errors.contains(part), "\(child.errors)")
      }
    }

    @Test("leaks=on prints nothing of a process whose tasks have ended, and is off by default")
    func none() throws {
      let none = try ChildRun("leaves-none", "250", options: "leaks=on")
      #expect(none.status == 0 && none.words == ["done"])
      #expect(none.errors.isEmpty, "\(none.errors)")
      let off = try ChildRun("leaves-tasks", options: nil)
      #expect(off.status == 0 && off.errors.isEmpty, "\(off.errors)")
    }

    @Test("leaks=on works together with prediction, whichever learns of tasks first")
    func withPrediction() throws {
      let child = try ChildRun("leaves-tasks", "followed", options: "leaks=on predict=on")
      #expect(child.status == 0)
      #expect(child.errors.contains("at exit, 3 tasks have not ended:\n"), "\(child.errors)")
      let none = try ChildRun("leaves-none", "50", options: "leaks=on predict=on")
      #expect(none.errors.isEmpty, "\(none.errors)")
    }

    @Test("leaks=on lists the tasks that have not ended for SIGQUIT too")
    func onRequest() throws {
      let lines = try ChildRun.lines(of: "asked", in: "Programs+Quiet.swift")
      let parts = [
        "  50 tasks made at \(lines[0])",
        "have not ended: they wait for a continuation at \(lines[4])", ", not resumed yet\n",
        "has not ended: it waits to enter the actor Ledger at \(lines[9])",
      ]
      let child = try ChildRun(arguments: ["asked", "30"] + parts, options: "leaks=on")
      #expect(child.status == 0, "\(child.errors)")
      for part in parts { #expect(child.output.contains(part), "\(child.output)") }
    }
  }
}
