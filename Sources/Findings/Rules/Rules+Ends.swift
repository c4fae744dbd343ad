extension Rule {
  /// Processes that end, or exceed a limit.
  static let ends: [Rule] =
    [
      .crash, .outOfMemory, .tooMuchOutput, .earlyExit, .timeLimit, .livelock, .orderFails,
      .outlivesTest,
    ]

  package static let crash = Rule(
    "crash", "The process died of a signal or a trap.",
    meaning:
      "The code accessed memory that does not exist, or a check of Swift or of a library failed.",
    example: "Fatal error: Index out of range, in an array that two threads change.",
    remedy: """
      Start at the first frame of your own code. A crash that comes and goes is usually a race: \
      mark the state, or build with memory checks, and run again.
      """)

  package static let outOfMemory = Rule(
    "out-of-memory", "The process had more resident memory than its limit allows.",
    meaning: "A trial was stopped at the limit of its scenario, before it could harm the machine.",
    example: "A cache whose entries are never evicted, because the count is lost in a race.",
    remedy: "Bound what grows; if the workload needs more, raise `memoryMebibytes`.")

  package static let tooMuchOutput = Rule(
    "too-much-output", "The process wrote more output than a trial may.",
    meaning: "Its standard output and error, or the pipe on which it reports, reached the limit.",
    example: "A line for every call of a workload of a million calls.",
    remedy: "Write less in the subject.")

  package static let earlyExit = Rule(
    "early-exit", "The process exited by itself before the workload ended.",
    meaning: "The code under test called `exit`, or exited with a code that is not 0.",
    example: "guard let file = open() else { exit(1) }",
    remedy: "Report failures to the caller; a library must not end the process.")

  package static let timeLimit = Rule(
    "time-limit", "The work was still making progress when its time was up.",
    meaning: "Slow is not stuck: a deadlock has a rule of its own.",
    example: "A lock that is held while a file is written, for each of 10,000 calls.",
    remedy: "Raise the limit of the scenario, or make the work smaller.")

  package static let livelock = Rule(
    "livelock", "The threads run for ever without making progress.",
    meaning: "An explored order reached the limit of steps: its threads repeat themselves.",
    example: "while !flag { yield() }, where the thread that sets the flag waits for this one.",
    remedy: "Wait for the event (a condition, a continuation) instead of polling for it.")

  package static let orderFails = Rule(
    "order-fails", "An order in which the threads can run makes the body fail.",
    meaning: """
      The explorer executed the body in an order that the real scheduler can choose too, and a \
      check of the body's own failed. The token replays it.
      """,
    example: "if cache[key] == nil { cache[key] = make() }   // two threads see nil",
    remedy: "Make the test and the change one step: hold one lock over both.")

  package static let outlivesTest = Rule(
    "outlives-test", "A task, thread, timer, queue or lock of a test was left when the test ended.",
    meaning: """
      An unstructured task (`Task { }`, `Task.detached`) or a thread runs on, or waits, when its \
      test is over; or a dispatch source was not cancelled, a delayed block has not begun, a queue \
      is suspended, a lock is held. Each may change what later tests see. A continuation that was \
      not resumed yet is not proven to be leaked: code that still runs may resume it.
      """,
    example: """
      func start() { task = Task { for await event in events { handle(event) } } }
      // the test never calls stop()
      """,
    remedy: """
      Keep the task; cancel and await it where its owner ends (`task.cancel(); await task.value`). \
      Resume a continuation on every path, also on cancellation. Cancel or release a source, and \
      release a lock on every path (`withLock`). Allow what is meant to live as \
      long as the process by its place.
      """)
}
