import Testing

extension SyncEvents {
  /// `INTERLOCK_OPTIONS="predict=on"`, in separate processes.
  @Suite("Prediction at the end of a process")
  struct PredictionAtExitTests {
    @Test("A prediction has both places, and changes no exit code")
    func told() throws {
      let child = try ChildRun("both-ways", options: "predict=on")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      #expect(
        child.errors.hasPrefix("interlock: potential, not observed: lock-order: two locks"),
        "\(child.errors)")
      #expect(child.errors.contains("holds the mutex made at Programs+Prediction.swift:"))
      #expect(child.errors.split(separator: "\n").count { $0.hasPrefix("  thread ") } == 2)
    }

    @Test("A prediction names the callers of classes that wrap a lock, on both sides")
    func wrapped() throws {
      let child = try ChildRun("both-ways-wrapped", options: "predict=on")
      let rows = child.errors.split(separator: "\n").filter { !$0.hasPrefix("    #") }
      let lines = try ChildRun.lines(of: "both-ways-wrapped", in: "Programs+Prediction.swift")
      try #require(lines.count == 4)
      for (line, part) in zip(lines, [", taken at ", " takes ", ", taken at ", " takes "]) {
        let ofLine = rows.filter { $0.contains(line + "by DeepLockBox.withLockedValue(_:)") }
        #expect(ofLine.contains { $0.contains(part) }, "\(line): \(child.errors)")
      }
      // At most the lines that make the locks.
      let places = rows.map { $0.replacing("made at LockBox.swift:", with: "") }
      #expect(!places.contains { $0.contains("LockBox.swift:") }, "\(child.errors)")
    }

    @Test("A prediction names the code behind what made a lock for it, as the watchdog does")
    func makers() throws {
      let child = try ChildRun("both-ways-wrapped", "30", options: "predict=on")
      let rows = child.errors.split(separator: "\n").filter { !$0.hasPrefix("    #") }
      #expect(!rows.contains { $0.contains("LockBox.swift:") }, "\(child.errors)")
      let program = "both-ways-wrapped-made"
      for line in try ChildRun.lines(of: program, in: "Programs+Prediction.swift") {
        let made = "the mutex made at \(line) static Programs.nestWrapped() by DeepLockBox.init(_:)"
        #expect(rows.contains { $0.contains(made) }, "\(child.errors)")
      }
    }

    @Test("A prediction is red if an option asks for it, with the exit code of conflicts")
    func red() throws {
      let child = try ChildRun("both-ways", options: "predict=on fail_on=potential")
      #expect(child.status == 66, "\(child.errors)")
      let other = try ChildRun("both-ways", options: "predict=on fail_on=potential exit_code=7")
      #expect(other.status == 7, "\(other.errors)")
    }

    @Test(
      "An order is predicted by the locks that the thread holds, however often its calls have run",
      arguments: ["main", "thread", "blocks"], ["main", "thread", "blocks"])
    func nested(first: String, later: String) throws {
      for end in ["under-the-gate", "without-the-gate"] {
        let child = try ChildRun("nested-locks", first, later, end, "60", options: "predict=on")
        #expect(child.words == ["done"])
        // The main thread cannot deadlock with itself.
        let canMeet = end == "without-the-gate" && (first, later) != ("main", "main")
        #expect(child.errors.contains("lock-order: two locks") == canMeet, "\(child.errors)")
        if !canMeet { #expect(child.errors.isEmpty, "\(child.errors)") }
      }
    }

    @Test("Nothing is predicted for a safe program, without the option, or if it is off")
    func nothing() throws {
      for (program, options) in [
        ("one-way", "predict=on fail_on=potential"), ("both-ways", nil),
        ("both-ways", "predict=off"), ("long-hold", "predict=on"),
      ] {
        let child = try ChildRun(program, options: options)
        #expect(child.status == 0)
        #expect(child.errors.isEmpty, "\(child.errors)")
        #expect(child.words == ["done"])
      }
    }

    @Test(
      "A lock that no call makes is not the lock that was at its address before",
      arguments: [
        "mutex", "rwlock",
      ])
    func replacedLock(kind: String) throws {
      let unseen = try ChildRun("lock-without-a-call", kind, options: "predict=on")
      #expect(unseen.words == ["done"])
      #expect(unseen.errors.isEmpty, "\(unseen.errors)")
      let made = try ChildRun("lock-without-a-call", kind, "call", options: "predict=on")
      #expect(made.errors.contains("lock-order: two locks"), "\(made.errors)")
    }

    @Test("Two locks under one Mutex are no finding in top-level code either")
    func topLevelCode() throws {
      let child = try ChildRun(
        "gated-in-top-level-code", options: "predict=on fail_on=potential")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.errors.contains("1 cycle of locks: undecided"), "\(child.errors)")
      #expect(!child.errors.contains("lock-order"), "\(child.errors)")
    }

    @Test("Prediction is incomplete if too many locks were nested; destroyed locks do not count")
    func bounded() throws {
      let many = try ChildRun("many-locks", options: "predict=on")
      #expect(many.status == 0, "\(many.errors)")
      #expect(
        many.errors.contains(
          "interlock: prediction is not complete: there were more orders of locks than are kept"))
      #expect(many.errors.contains("lock-order: two locks"), "\(many.errors)")
      let gone = try ChildRun("short-lived-locks", options: "predict=on")
      #expect(gone.status == 0, "\(gone.errors)")
      #expect(gone.errors.contains("lock-order: two locks"), "\(gone.errors)")
      #expect(!gone.errors.contains("not complete"))
    }

    @Test("However many sections have locked a Mutex, their orders and gates are followed")
    func sectionMutexes() throws {
      for count in ["0", "20000"] {
        let gated = try ChildRun("many-section-mutexes", count, "gated", options: "predict=on")
        #expect(gated.words == ["done", count])
        #expect(gated.errors.isEmpty, "\(gated.errors)")
        let crossed = try ChildRun("many-section-mutexes", count, "crossed", options: "predict=on")
        #expect(crossed.words == ["done", count])
        let findings = crossed.errors.split(separator: "\n").filter { $0.contains("lock-order:") }
        #expect(findings.count == 1, "\(crossed.errors)")
        #expect(!crossed.errors.contains("not complete"), "\(crossed.errors)")
      }
      let full = try ChildRun("many-section-mutexes", "600000", "gated", options: "predict=on")
      #expect(full.errors.contains("complete: there were more locks at a time than are followed"))
      #expect(!full.errors.contains("lock-order:"), "\(full.errors)")
    }

    @Test("Prediction is incomplete only because of what the program does")
    func blindSpots() throws {
      for program in ["source-without-sections", "many-signals"] {
        let child = try ChildRun(program, options: "predict=on")
        #expect(child.words == ["done"])
        #expect(child.errors.isEmpty, "\(child.errors)")
      }
      let wait = try ChildRun("notification-and-wait-under-lock", options: "predict=on")
      #expect(wait.words == ["done"])
      #expect(
        wait.errors.hasPrefix(
          "interlock: prediction is not complete: waits under a lock for what others signal are not"
            + " followed from some moment on: a handler in C, or the notification of a work item"),
        "\(wait.errors)")
      let mutex = try ChildRun("contended-mutex", options: "predict=on")
      #expect(mutex.words == ["done"])
      #expect(
        mutex.errors.hasPrefix(
          "interlock: prediction is not complete: a Mutex that a thread waited for at "),
        "\(mutex.errors)")
      #expect(mutex.errors.contains("Programs+Prediction.swift:"), "\(mutex.errors)")
    }

    @Test("A lock held longer than a given limit is predicted")
    func longHold() throws {
      let child = try ChildRun("long-hold", options: "predict=on hold_limit=0.1")
      #expect(child.status == 0)
      #expect(child.errors.contains("long-hold: a mutex was held for "), "\(child.errors)")
    }

    @Test("A lock left locked is predicted, with the line that took it")
    func leftLocks() throws {
      let left = try ChildRun("left-lock", options: "predict=on")
      #expect(left.status == 0, "\(left.errors)")
      #expect(
        left.errors.contains(
          "abandoned-lock: main returned without unlocking the mutex made at Programs+Prediction"),
        "\(left.errors)")
      #expect(left.errors.contains("taken at Programs+Prediction.swift:"), "\(left.errors)")
    }

    @Test("A refused timed lock of a mutex that the thread holds is predicted if it is ignored")
    func refusedTimedLock() throws {
      let child = try ChildRun("refused-timed-lock", options: "predict=on")
      #expect(child.words == ["done"])
      #expect(child.errors.contains("relock: a thread tried again"), "\(child.errors)")
      #expect(child.errors.contains("Programs+Prediction.swift:"), "\(child.errors)")
    }

    @Test("Prediction takes no lock of the loader under its own: a callback of the loader may lock")
    func loaderCallback() throws {
      let child = try ChildRun("locks-in-a-loader-callback", options: "predict=on hang_limit=30")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
    }

    @Test("The analysis sees each call of a signal handler that posts and locks, at any moment")
    func signalHandlers() throws {
      // `ci/checks/signals.sh` runs a million. The limit makes the reader follow the waits too.
      let options = "predict=on hang_limit=30"
      let child = try ChildRun("signals-in-analysis", "20000", options: options)
      #expect(child.status == 0, "\(child.errors)")
      // No post is lost, no lock is left locked, no post is unseen.
      #expect(
        child.words == ["0", "0", "0", "complete", "ordered"], "\(child.output)\(child.errors)")
      #expect(!child.errors.contains("potential"), "\(child.errors)")
    }

    @Test("Locks that are variables of C have their names, and a condition the line that made it")
    func staticLocks() throws {
      let order = try ChildRun("static-locks", options: "predict=on")
      #expect(order.words == ["done"])
      for name in ["the mutex 'first_lock'", "the mutex 'second'"] {
        #expect(order.errors.contains(name), "\(order.errors)")
      }
      let relock = try ChildRun("static-locks", "relock", options: "hang_limit=30")
      #expect(relock.status == 86, "\(relock.errors)")
      #expect(relock.errors.contains("waits for the mutex 'first_lock'"), "\(relock.errors)")
      let condition = try ChildRun("static-locks", "condition", options: "hang_limit=30")
      #expect(condition.status == 86, "\(condition.errors)")
      #expect(
        condition.errors.contains("the condition made at Programs+Prediction.swift:"),
        "\(condition.errors)")
    }

    @Test("A lock left locked is predicted at a call of exit, but not inside a critical section")
    func exitsUnderLocks() throws {
      let left = try ChildRun("exit-after-left-lock", options: "predict=on")
      #expect(left.words == ["done"])
      #expect(
        left.errors.contains(
          "abandoned-lock: a thread called exit without unlocking the mutex made at"),
        "\(left.errors)")
      for program in ["exit-under-lock", "exit-under-own-lock"] {
        let inside = try ChildRun(program, options: "predict=on fail_on=potential")
        #expect(inside.status == 0, "\(inside.errors)")
        #expect(inside.words == ["done"])
        #expect(inside.errors.isEmpty, "\(inside.errors)")
      }
    }

    @Test(
      "With too many threads or tasks the order of sections is unknown, and the program continues",
      arguments: [
        ("too-many-threads", "done", "more than 256 threads at a time"),
        ("too-many-awaits", "140000", "more tasks that wait at a time than are followed"),
      ])
    func blind(program: String, output: String, reason: String) throws {
      let child = try ChildRun(program, options: "predict=on")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == [output])
      #expect(
        child.errors.contains(
          "the order of sections is unknown from some point on: there were \(reason)"),
        "\(child.errors)")
    }

    @Test(
      "Accesses that one lock orders are no race, also beyond counts of 32 bits",
      arguments: [32, 40])
    func manyCounts(bits: Int) throws {
      let child = try ChildRun(
        "under-one-lock", options: "predict=on",
        environment: ["SYNC_EVENTS_FIRST_COUNT": "\(1 << bits - 200)"])
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      #expect(child.errors.isEmpty, "\(child.errors)")
    }

    @Test(
      "A wait in a task whose jobs a user's executor forwards is predicted, and an await is not"
    )
    func forwarded() throws {
      let wait = try ChildRun("forwarded-wait", options: "predict=on")
      #expect(wait.words == ["done"], "\(wait.errors)")
      #expect(wait.errors.contains("blocking-wait-in-task"), "\(wait.errors)")
      let order = try ChildRun("forwarded-in-order", options: "predict=on")
      #expect(order.words == ["done"])
      #expect(order.errors.isEmpty, "\(order.errors)")
    }

    @Test("A main queue left to the pool is no race with the main thread; another queue is")
    func mainQueue() throws {
      let given = try ChildRun("main-queue-given-away", options: "predict=on")
      #expect(given.words == ["done"])
      #expect(given.errors.isEmpty, "\(given.errors)")
      let another = try ChildRun("main-queue-not-asked", options: "predict=on")
      #expect(another.words == ["done"])
      // Undecided, because the child's module has its own locks.
      #expect(another.errors.contains("without an order that was seen"), "\(another.errors)")
    }
  }
}
