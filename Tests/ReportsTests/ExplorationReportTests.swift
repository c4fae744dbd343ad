import Foundation
import Hangs
import Interlock
import ProcessInspection
import StressRunner
import Testing

@testable import Explorer
@testable import Reports

@Suite("A report of an exploration")
struct ExplorationReportTests {
  private func result(
    _ outcome: ExplorationOutcome, failures: [Observation.OracleFailure] = [],
    token: String? = nil
  ) -> TrialResult {
    var trial = Trial(scenario: Samples.reads, subject: "mutex", seed: 1)
    trial.explore = ExploreRequest(token: token)
    var seen = Observation(ending: .exited(code: 0), operations: 1000)
    seen.finished = true
    seen.seconds = 0.75
    seen.oracleFailures = failures
    seen.exploration = ExplorationRecord(outcome: outcome, seconds: 0.5)
    return Samples.judged(trial, seen)
  }

  private func failure(
    _ verdict: ExplorationFailure.Verdict, steps: [Schedule.Step], blocked: [Schedule.Step] = []
  ) -> ExplorationFailure {
    var schedule = Schedule()
    schedule.steps = steps
    schedule.blocked = blocked
    schedule.switches = 2
    return ExplorationFailure(
      verdict: verdict, text: "the body failed", schedule: schedule,
      token: "i1-0-w0-ab-0", origin: .order(4))
  }

  @Test("A failure of an earlier record, with the evidence beside its verdict, is read")
  func earlierRecord() throws {
    func read(
      _ failure: ExplorationFailure, _ verdict: String, as earlier: String
    ) throws -> ExplorationFailure {
      let flags = #""isUnrepeatable":true,"isOnlyFirst":false"#
      let text = String(decoding: try JSONEncoder().encode(failure), as: UTF8.self)
        .replacing(verdict, with: earlier).replacing(#""repetition":{"fails":{}}"#, with: flags)
      return try JSONDecoder().decode(ExplorationFailure.self, from: Data(text.utf8))
    }
    let deadlock = try read(
      failure(.deadlock(.cycle), steps: []), #"{"deadlock":{"_0":"cycle"}}"#,
      as: #"{"deadlock":{}},"cause":"cycle""#)
    #expect(deadlock.verdict == .deadlock(.cycle) && deadlock.repetition == .passes)
    let side = MemoryRace.Side(isWrite: true, address: 8, size: 8, place: StackFrame(address: 1))
    let race = MemoryRace(first: side, second: side)
    var failed = failure(.failed, steps: [])
    failed.memoryRace = race
    let racy = try read(failed, #"{"failed":{}}"#, as: #"{"race":{}}"#)
    #expect(racy.verdict == .race(.memory(race)) && racy.memoryRace == nil)
  }

  private func step(_ thread: Int, _ operation: String, _ object: Int = 1) -> Schedule.Step {
    Schedule.Step(thread: thread, operation: operation, object: object, place: nil, candidates: 2)
  }

  @Test("A report claims every order only if every order was executed")
  func claims() {
    #expect(
      result(.allOrdersPass(count: 6, leftBehind: 0)).message
        == "all 6 orders of the controlled calls pass; atomics and memory accesses are not"
        + " controlled")
    #expect(result(.allOrdersPass(count: 1, leftBehind: 0)).message.hasPrefix("the only order of"))
    let sampled = result(.sampled(count: 12, leftBehind: 3, escaped: ["fork"])).message
    #expect(
      sampled
        == "12 orders sampled, none failed; not every order was executed; not controlled: fork;"
        + " threads were still blocked at the end of the workload: 3 in all orders")
    let bound = ExplorationBound(preemptions: 1, orders: 12)
    #expect(
      result(.sampled(count: 70, leftBehind: 0, escaped: [], bound: bound)).message
        == "70 orders sampled, none failed; all 12 orders with at most 1 preemption are among them;"
        + " not every order was executed")
    #expect(
      result(.sampled(count: 1, leftBehind: 0, escaped: []), token: "t").message
        == "the order of the token does not fail")
  }

  @Test("The message of a failed order has the oracle that failed")
  func message() {
    let failed = result(
      .failed(failure(.failed, steps: [step(0, "start")])),
      failures: [.init(oracle: .totalsMatch, evidence: "1 and 2")])
    #expect(failed.verdict.kind == .violation)
    #expect(
      failed.message
        == "totals-match: 1 and 2; the body failed (order number 4); the shortest schedule found"
        + " has 2 context switches")
  }

  @Test("The table of a long schedule has its first and its last rows")
  func longSchedule() {
    let long = failure(.livelock, steps: (0..<20_000).map { step($0, "start") })
    let rows = long.order(width: 120)
    #expect(rows.count == 61)
    #expect(rows[30] == "… 19940 steps …")
    #expect(rows.allSatisfy { $0.count <= 120 })
    #expect(rows.last?.contains("20000") == true)
  }

  @Test(
    "The table of an execution with an omitted middle has the number of omitted steps",
    arguments: [20, 60, 120], [false, true])
  func leftOut(_ width: Int, _ isOneThread: Bool) {
    let steps = (0..<40).map { step(isOneThread ? 0 : $0 % 2, "lock", $0) }
    var long = failure(.livelock, steps: steps)
    long.schedule.leftOut = Schedule.LeftOut(after: 20, count: 1_000_000, lastOfTasks: [])
    let rows = long.order(width: width)
    #expect(rows.count(where: { $0 == "… 1000000 steps …" }) == 1, "\(rows)")
    #expect(rows.last?.contains("1000040") == true, "\(rows)")
    #expect(rows.count <= 42)
    #expect(long.schedule.stepCount == 1_000_040)
  }

  @Test("A task that is suspended in the omitted middle of an execution is among the waiting tasks")
  func suspendedInTheMiddle() {
    func taskStep(_ task: Int, _ operation: String) -> Schedule.Step {
      var made = step(task, operation, 0)
      made.task = task
      return made
    }
    let steps = [
      taskStep(1, "await group"), taskStep(2, "await task"), taskStep(3, "await task"),
      taskStep(1, "end task"),
    ]
    var long = failure(.deadlock(nil), steps: steps)
    long.schedule.leftOut = Schedule.LeftOut(
      after: 3, count: 9, lastOfTasks: [taskStep(3, "await stream")])
    #expect(
      long.schedule.waits == ["task 2 waits: await task", "task 3 waits: await stream"])
  }

  @Test("A shortened schedule has its ends, the number of steps and threads, and suspended tasks")
  func shortened() {
    func taskStep(_ task: Int, _ operation: String) -> Schedule.Step {
      var made = step(task, operation, 0)
      made.task = task
      return made
    }
    var long = failure(.deadlock(nil), steps: (0..<10).map { step(0, "lock", $0 + 1) })
    // In the middle, a task is suspended, one ends that has begun before, one begins and ends, and
    // one makes a later step.
    long.schedule.steps[0] = taskStep(22, "begin task")
    long.schedule.steps.replaceSubrange(
      4..<8,
      with: [
        taskStep(21, "await group"), taskStep(22, "end task"), taskStep(24, "end task"),
        taskStep(23, "begin task"),
      ])
    long.schedule.steps.insert(taskStep(24, "begin task"), at: 5)
    long.schedule.steps.append(taskStep(23, "await stream"))
    long.schedule.blocked = (1...20).map { step($0, "semaphore wait", 9) }
    let waits = long.schedule.waits
    #expect(waits.first == "20 threads wait: semaphore wait #9")
    while long.schedule.steps.count > 4, long.schedule.shorten() {}
    let schedule = long.schedule
    #expect(schedule.steps.map(\.object) == [0, 2, 10, 0])
    #expect(schedule.leftOut?.after == 2 && schedule.stepCount == 12)
    #expect(schedule.blocked.count == 5 && schedule.blockedCount == 20)
    #expect(
      schedule.waits
        == ["5 threads wait: semaphore wait #9"] + waits.dropFirst()
        + ["15 more threads wait, not listed here"])
    #expect(long.order(width: 80).contains("… 8 steps …"), "\(long.order(width: 80))")
    // The last shortening leaves at most one of each, and the next has nothing to leave out.
    while long.schedule.shorten() {}
    #expect(long.schedule.stepCount == 12 && long.schedule.blockedCount == 20)
  }

  @Test("A thread that signals before its first call does not only begin and end")
  func signals() {
    var steps = (0..<3).map { step($0, "semaphore wait", $0 + 1) }
    steps += [step(3, "start", 0), step(4, "start", 0)]
    steps[3].signals = true
    let rows = failure(.failed, steps: steps).order(width: 20)
    #expect(rows.contains { $0.contains("thread 3") && $0.contains("start") }, "\(rows)")
    #expect(rows.last == "only begin or end: thread 4")
  }

  /// The rows of a body with eight tasks, of which two do nothing.
  private func eightTasks(width: Int) -> [String] {
    var steps = [step(0, "lock", 1), step(0, "unlock", 1)]
    for round in 0..<3 {
      steps += (1...6).map { step($0, "semaphore wait", $0 + 10 * round) }
    }
    steps += (7...8).map { step($0, "start", 0) }
    return failure(.failed, steps: steps).order(width: width)
  }

  @Test("Columns that do not fit side by side fold, and threads that do nothing are left out")
  func narrow() throws {
    let wide = eightTasks(width: 200)
    #expect(wide.first?.contains("thread 8") == true)
    #expect(wide.allSatisfy { $0.count <= 200 })
    #expect(wide.contains { $0.count > 120 })
    let narrow = eightTasks(width: 60)
    #expect(narrow.allSatisfy { $0.count <= 60 })
    #expect(narrow[0] == " 1  body      lock #1")
    #expect(narrow[2] == " 3  thread 1    semaphore wait #1")
    #expect(narrow[7] == " 8  thread 6              semaphore wait #6")
    #expect(narrow.last == "only begin or end: thread 7, thread 8")
  }

  @Test("A long stretch of one thread is one row, with its first and its last step")
  func stretch() {
    let steps = (1...30).map { step(1, "lock", $0) } + [step(2, "lock", 9)]
    #expect(
      failure(.failed, steps: steps).order(width: 120) == [
        "         thread 1                          thread 2",
        "1 to 30  lock #1, 28 more steps, lock #30",
        "     31                                    lock #9",
      ])
  }

  @Test("A failed order is replayed by its token, with the seed only if the command gave one")
  func replay() {
    let failed = result(.failed(failure(.failed, steps: [])))
    #expect(
      Samples.context.replay(failed)
        == "interlock explore concurrent-reads --subject mutex --replay i1-0-w0-ab-0")
    var context = Samples.context
    context.seed = 1
    #expect(context.replay(failed).contains(" --seed 1 --replay "))
  }

  @Test("Equal steps of one thread are one row, and many threads that wait for one object are too")
  func list() {
    let steps =
      Array(repeating: step(0, "enqueue"), count: 30)
      + (1...40).map { step($0, "semaphore wait", 2) }
    let lines = failure(
      .deadlock(nil), steps: steps, blocked: (1...40).map { step($0, "semaphore wait", 2) }
    ).order
    #expect(lines.first == "1 to 30  body       enqueue #1, 30 times")
    #expect(lines.contains("     31  thread 1     semaphore wait #2"))
    #expect(lines.suffix(2) == ["no thread can continue:", "  40 threads wait: semaphore wait #2"])
    // Each thread waits for a different object.
    let apart = failure(
      .deadlock(nil), steps: steps, blocked: (1...40).map { step($0, "semaphore wait", $0) }
    ).order
    #expect(apart.last == "  40 threads wait, for 40 objects: semaphore wait")
    // A few threads have a table.
    let table = failure(.failed, steps: [step(0, "start"), step(1, "lock", 2)]).order
    #expect(table == ["   body      thread 1", "1  start #1", "2            lock #2"])
  }

  @Test("The JSON report has the outcome of an exploration, and null for a run")
  func json() {
    let run = JSONReport.entry(Samples.race)
    #expect(run.contains("\"exploration\": null"))
    let sampled = JSONReport.entry(result(.sampled(count: 7, leftBehind: 0, escaped: ["fork"])))
    #expect(sampled.contains("\"state\": \"sampled\""))
    #expect(sampled.contains("\"orders\": 7"))
    #expect(sampled.contains("\"finishedWithin\": null"))
    let failed = JSONReport.entry(result(.failed(failure(.failed, steps: [step(1, "lock")]))))
    #expect(failed.contains("\"token\": \"i1-0-w0-ab-0\""))
    #expect(failed.contains("\"operation\": \"lock\""))
    #expect(failed.contains("\"kind\": \"order\""))
  }

  @Test("The page has the source lines of the calls that threads wait in, or of the last step")
  func sources() {
    func step(_ thread: Int, _ line: Int) -> Schedule.Step {
      Schedule.Step(
        thread: thread, operation: "lock", object: 1,
        place: StackFrame(address: 1, function: "f()", file: "/src/Bank.swift", line: line),
        candidates: 2)
    }
    let excerpt = SourceExcerpt { _ in (1...9).map { "line \($0)" }.joined(separator: "\n") }
    func lines(_ failure: ExplorationFailure) -> [String] {
      ScheduleMarkup(result(.failed(failure)), excerpt).html
        .matches(of: /class="here"><code>([^<]*)</).map { String($0.output.1) }
    }
    let failed = failure(.failed, steps: [step(0, 2), step(1, 4), self.step(1, "unlock")])
    #expect(lines(failed) == ["line 4"])
    let blocked = [step(0, 6), step(1, 8), step(2, 8)]
    #expect(
      lines(failure(.deadlock(nil), steps: [step(0, 2)], blocked: blocked)) == ["line 6", "line 8"])
  }

  @Test("The page has the order that fails as a table, escaped")
  func page() {
    let html = ScheduleMarkup(
      result(.failed(failure(.failed, steps: [step(0, "<lock>"), step(1, "wait")])))
    ).html
    #expect(html.contains("<td>&lt;lock&gt; #1</td><td></td>"))
    #expect(html.contains("thread 1</th>"))
    #expect(ScheduleMarkup(result(.allOrdersPass(count: 1, leftBehind: 0))).html.isEmpty)
  }
}
