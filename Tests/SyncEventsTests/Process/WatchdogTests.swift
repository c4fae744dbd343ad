import Foundation
import TestSupport
import Testing

extension SyncEvents {
  /// `InterlockWatchdog`, in processes that hang and in processes that do not.
  @Suite("The watchdog")
  struct WatchdogTests {
    /// A hang, and the parts that its report must have.
    struct Hang: CustomTestStringConvertible, Sendable {
      var program: String
      var parts: [String]
      /// The limit in seconds, after which an uncertain hang is reported outside a test.
      var limit = "30"
      var testDescription: String { program }
    }

    static let hangs = [
      Hang(program: "cycle", parts: ["(cycle)", "the mutex made at Programs+Hangs.swift:"]),
      Hang(
        program: "left-locked",
        parts: ["(abandoned-lock)", "ended without unlocking the mutex made at"]),
      Hang(program: "self", parts: ["(self)", "hang.self"]),
      Hang(program: "relock", parts: ["(self)"]), Hang(program: "lost", parts: ["(lost-wake-up)"]),
      Hang(program: "lost-in-pool", parts: ["(lost-wake-up)", "this process is deadlocked"]),
      Hang(
        program: "lost-beside-handlers", parts: ["(lost-wake-up)", "this process is deadlocked"]),
      Hang(program: "timed-condition", parts: ["(cycle)", "this process is deadlocked"]),
      Hang(program: "lost-for-ever", parts: ["(lost-wake-up)"]),
      Hang(program: "never-resumed", parts: ["(suspended)"], limit: "1"),
      Hang(program: "checked-never-resumed", parts: ["(suspended)"], limit: "1"),
    ]

    @Test(
      "The watchdog ends a hang with its own code, the cause, the lines and all stacks",
      arguments: hangs)
    func ends(_ hang: Hang) throws {
      let child = try ChildRun(hang.program, hang.limit, limit: 25)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.hasPrefix("interlock: this process "), "\(child.errors)")
      #expect(child.errors.contains("interlock: ending the process with code 86"))
      #expect(child.errors.contains("threads:\n"))
      #expect(child.errors.contains("      #0 "))
      let lines = try ChildRun.lines(of: hang.program)
      #expect(lines.count >= 1)
      for part in hang.parts + lines { #expect(child.errors.contains(part), "\(child.errors)") }
    }

    @Test("The watchdog names the callers of classes that wrap a lock, and none of a plain lock")
    func wrapped() throws {
      // The lines of the report before the stacks.
      func summary(_ program: String) throws -> Substring {
        let child = try ChildRun(program, "30", limit: 25)
        #expect(child.status == 86, "\(child.errors)")
        #expect(child.errors.contains("(cycle)"), "\(child.errors)")
        return child.errors[..<(try #require(child.errors.firstRange(of: "threads:\n"))).lowerBound]
      }
      for program in ["wrapped", "wrapped-deeply"] {
        let lines = try ChildRun.lines(of: program)
        try #require(lines.count == 4)
        let wrapped = try summary(program)
        for line in lines {
          let places = wrapped.ranges(of: line)
          #expect(!places.isEmpty, "\(line): \(wrapped)")
          for place in places {
            // Up to the next place at most.
            let helper = /[^.]*(Programs\.[^.]*)? by (Deep)?LockBox\.withLockedValue\(_:\)/
            #expect(wrapped[place.upperBound...].prefixMatch(of: helper) != nil, "\(wrapped)")
          }
        }
        let isDeep = program == "wrapped-deeply"
        let function = isDeep ? "deeplyWrappedCycle()" : "wrappedCycle()"
        for line in try ChildRun.lines(of: program + "-made") {
          let maker = "\(isDeep ? "Deep" : "")LockBox.init(_:)"
          let made = "made at \(line) static Programs.\(function) by \(maker)"
          #expect(wrapped.contains(made), "\(wrapped)")
        }
        #expect(!wrapped.contains("LockBox.swift:"), "\(wrapped)")
      }
      let plain = try summary("cycle")
      #expect(!plain.contains(" by "), "\(plain)")
    }

    @Test(
      "The watchdog names the code behind what made a lock for it: a function, a class")
    func makers() throws {
      for (program, helper) in [
        ("made-by-function", "Programs.namedLock(_:)"), ("made-once", "ClosureLock.init()"),
        ("made-signal", "SignalBox.init()"),
      ] {
        let child = try ChildRun(program, "30", limit: 25)
        #expect(child.status == 86, "\(child.errors)")
        let lines = try ChildRun.lines(of: program)
        #expect(child.errors.contains("by \(helper)"), "\(child.errors)")
        let made = lines.filter { child.errors.contains("made at \($0)") }
        #expect(made.count == (program == "made-by-function" ? 2 : 1), "\(child.errors)")
      }
    }

    @Test(
      "The watchdog is certain of a cycle whatever else the process may do",
      arguments: [
        ("cycle-beside-handler", "cycle"), ("timed-condition-beside-others", "timed-condition"),
      ])
    func cycles(_ program: String, _ lines: String) throws {
      let child = try ChildRun(program, "60", limit: 50)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("interlock: this process is deadlocked"), "\(child.errors)")
      #expect(child.errors.contains("(cycle)"), "\(child.errors)")
      for line in try ChildRun.lines(of: lines) {
        #expect(child.errors.contains(line), "\(child.errors)")
      }
    }

    @Test(
      "The watchdog is certain of a cycle in shared memory, and of a wait in memory of its own",
      arguments: [("cycle-in-shared-memory", "(cycle)"), ("lost-private", "(lost-wake-up)")])
    func sharedMemory(_ program: String, _ cause: String) throws {
      let child = try ChildRun(program, "60", limit: 50)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("interlock: this process is deadlocked"), "\(child.errors)")
      #expect(child.errors.contains(cause), "\(child.errors)")
    }

    @Test("SIGQUIT prints each suspended task with its await and its maker; the process goes on")
    func state() throws {
      let lines = try ChildRun.lines(of: "asked", in: "Programs+Quiet.swift").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try #require(lines.count == 10)
      // The child requests reports until one has these parts.
      let parts = [
        "  54 tasks are suspended:\n",
        "    50 tasks wait for a continuation at \(lines[4])", ", made at \(lines[0])",
        "    1 task waits for a continuation at \(lines[4])", ", made at \(lines[8])",
        "    1 task waits for an AsyncStream's next element at \(lines[6])",
        ", made at \(lines[5])",
        "    1 task waits for the tasks of a group", ", made at \(lines[7])",
        " waits for the mutex made at ", " at \(lines[2])", "holds since \(lines[1])",
        " waits for queue \"asked\" at \(lines[3])", ", on which thread ",
        "    1 task waits to enter the actor Ledger at \(lines[9])",
      ]
      let child = try ChildRun(arguments: ["asked", "30"] + parts)
      #expect(child.status == 0, "\(child.errors)")
      for part in parts { #expect(child.output.contains(part), "\(child.output)") }
      #expect(child.output.hasPrefix("interlock: this process, as SIGQUIT found it\n"))
      #expect(child.output.contains("threads:\n"))
    }

    @Test("A program's own handler of SIGQUIT stays")
    func ownHandler() throws {
      let child = try ChildRun("handles-quit", "30")
      #expect(child.status == 0)
      #expect(child.words == ["own"])
      #expect(child.errors.isEmpty, "\(child.errors)")
    }

    @Test("The watchdog needs no code if the environment asks for it")
    func environment() throws {
      let child = try ChildRun("cycle", options: "hang_limit=30", limit: 25)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("(cycle)"))
    }

    @Test("The watchdog is off unless code or an option starts it")
    func notAsked() throws {
      let child = try ChildRun("sleeps")
      #expect(child.status == 0)
      #expect(child.errors.isEmpty)
      #expect(child.words == ["done"])
    }

    @Test(
      "The watchdog does not end a program that computes, sleeps or idles longer than the limit",
      arguments: ["computes", "listens", "reads", "sleeps", "run-loop", "task-sleeps"])
    func quiet(_ program: String) throws {
      let child = try ChildRun(program, "1")
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.errors.isEmpty, "\(child.errors)")
      #expect(child.words.first == "done")
      // The program ran for longer than the limit.
      #expect(child.seconds > 2.5)
    }

    @Test(
      "The watchdog calls no wait certain that a timer, a signal or another process ends",
      arguments: [
        "nested-syncs", "run-loop-timer", "own-timer", "shared-semaphore", "shared-mutex",
        "shared-condition", "signal-handler", "signal-wait", "timed-condition-ends",
      ])
    func ended(_ program: String) throws {
      let child = try ChildRun(program, "60", limit: 50)
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.errors.isEmpty, "\(child.errors)")
      #expect(child.words == ["done"])
    }

    @Test(
      "The watchdog reports an invalid value in one line, and the program continues",
      arguments: [
        "hang_limit=soon", "hang_limit=0", "hang_limit=-1", "hang_limit=", "hang_limit=nan",
      ])
    func badValue(_ option: String) throws {
      let child = try ChildRun("ends", options: option)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      let lines = child.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(child.errors)")
      #expect(lines.first?.hasPrefix("interlock: INTERLOCK_OPTIONS: 'hang_limit' must be") ?? false)
      #expect(lines.first?.contains("0.1 to 86400") ?? false)
    }

    @Test("The watchdog reports readers behind a barrier at its limit, with the threads they need")
    func growingPool() throws {
      let child = try ChildRun(
        "readers-64", "2", environment: ["INTERLOCK_POOL_WIDTH": "2"], limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("nothing has happened for 2."), "\(child.errors)")
      #expect(child.errors.contains("(starvation)"), "\(child.errors)")
      #expect(child.errors.contains("frees it from here: 65 threads, because"), "\(child.errors)")
      #expect(child.errors.contains("never within Apple's limit of 64 threads"))
    }

    @Test("The watchdog reports at its limit a hang that a growing pool would end after a minute")
    func slowlyGrowingPool() throws {
      let child = try ChildRun(
        "readers-60", "2", environment: ["INTERLOCK_POOL_WIDTH": "2"], limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("nothing has happened for 2."), "\(child.errors)")
      #expect(child.errors.contains("frees it from here: 61 threads, because"), "\(child.errors)")
    }

    @Test(
      "The watchdog is certain if blocks need more threads than a pool may have",
      arguments: ["readers-300", "readers-300-reused", "callers-300"])
    func poolTooSmall(_ program: String) throws {
      let child = try ChildRun(program, "60", limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("interlock: this process is deadlocked"), "\(child.errors)")
      #expect(child.errors.contains("frees it from here: 301 threads, because"), "\(child.errors)")
      func status(_ width: Int) throws -> Int32 {
        try ChildRun(
          program, "60", environment: ["INTERLOCK_POOL_WIDTH": "\(width)"], limit: 60
        ).status
      }
      // Beyond 255 threads a pool does not grow: it has its initial width.
      #expect(try status(300) == 86)
      #expect(try status(301) == 0)
    }

    @Test(
      "The watchdog does not end blocks that need a few more threads than the pool has yet",
      arguments: ["readers-5", "members-5"])
    func slowPool(_ program: String) throws {
      let child = try ChildRun(
        program, "1", environment: ["INTERLOCK_POOL_WIDTH": "1"], limit: 60)
      #expect(child.status == 0, "\(child.errors)")
      #expect(child.words == ["done"])
      // The pool grew for longer than the limit.
      #expect(child.seconds > 2.5)
    }

    @Test("The watchdog keeps its limit if a group needs more threads than the pool may have")
    func groupTooLarge() throws {
      let child = try ChildRun("members-300", "2", limit: 30)
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.errors.contains("nothing has happened for 2."), "\(child.errors)")
      #expect(child.errors.contains("more threads may free it, if a queued block ends the wait"))
    }

    @Test("The watchdog keeps its limit if an idle worker ends meanwhile")
    func idleWorkerEnds() throws {
      // One success is enough: a busy machine may be late.
      var child = try ChildRun("unsure-beside-idle", "6", limit: 40)
      for _ in 0..<4 where child.seconds >= 10.5 {
        child = try ChildRun("unsure-beside-idle", "6", limit: 40)
      }
      #expect(child.status == 86, "\(child.errors)")
      #expect(child.seconds < 10.5, "\(child.errors)")
    }

    @Test("The watchdog announces once that it is armed, except with quiet=on")
    func armed() throws {
      let child = try ChildRun("ends", options: "hang_limit=30 predict=on", quiet: false)
      #expect(child.status == 0)
      #expect(
        child.errors == """
          interlock: prediction is armed: findings are printed at exit
          interlock: the watchdog is armed: a hang ends this process with code 86, a certain one \
          at once and another after 30.0 s

          """)
      #expect(try ChildRun("ends", options: "hang_limit=30 predict=on").errors.isEmpty)
      let none = try ChildRun("ends", options: nil, quiet: false)
      #expect(none.errors.isEmpty)
    }

    @Test("A misspelt option is reported without a section and without the watchdog's options")
    func misspelt() throws {
      let child = try ChildRun("ends", options: "on_conflct=log")
      #expect(child.status == 0)
      #expect(child.errors.split(separator: "\n").count == 1, "\(child.errors)")
      #expect(child.errors.hasPrefix("interlock: INTERLOCK_OPTIONS: unknown option 'on_conflct';"))
    }

    @Test("The watchdog takes the limit of its last start")
    func changedLimit() throws {
      // The program waits ten seconds for a sleeping thread: that is not certainly a hang.
      let short = try ChildRun("unsure", "60", "1", limit: 30)
      #expect(short.status == 86, "\(short.errors)")
      let long = try ChildRun("unsure", "1", "60", limit: 30)
      #expect(long.status == 0, "\(long.errors)")
      #expect(long.words == ["done"])
    }
  }
}
