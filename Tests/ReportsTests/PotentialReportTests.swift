import Interlock
import Prediction
import StressRunner
import Testing

@testable import Reports

/// A passed trial with two predicted lock orders.
private func trial(_ state: PredictionRecord.State = .on, expected: Bool = false) -> TrialResult {
  func side(_ line: Int) -> PotentialFinding.Side {
    let place = [StackFrame(address: 1, function: "transfer()", file: "Bank.swift", line: line)]
    return PotentialFinding.Side(
      party: "thread \(line)", act: "takes <the other> lock", place: place, stack: place + place,
      held: [.init(object: "one lock", place: place)])
  }
  let finding = PotentialFinding(
    kind: .lockOrder, headline: "two locks \u{1B}[2J& more", sides: [side(21), side(31)], count: 3)
  var result = Samples.all[0]
  result.trial.scenario.expectations[result.trial.subject] =
    expected ? Expectation(verdict: .passed, potential: [.lockOrder]) : nil
  result.observation.prediction = PredictionRecord(
    state: state, findings: state == .on ? [finding] : [], notes: state == .on ? ["full"] : [])
  return result
}

private func text(_ result: TrialResult, isVerbose: Bool = false) -> String {
  TextReport(context: Samples.context, style: TextStyle(color: false), isVerbose: isVerbose)
    .text([result], of: [result.trial], seconds: 1, width: 100)
}

@Suite("A potential finding in a report")
struct PotentialReportTests {
  @Test(
    "A predicted finding shows both call sites, locks held, the count, and what was not followed")
  func shown() {
    let text = text(trial())
    let name = Samples.all[0].trial.scenario.name
    #expect(text.contains("potential, not observed: \(name) on semaphore-lock"))
    #expect(text.contains("lock-order: two locks"))
    #expect(text.contains(", 3 times"))
    #expect(text.contains("thread 21 takes <the other> lock at transfer()  Bank.swift:21"))
    #expect(text.contains("  holds one lock, taken at transfer()  Bank.swift:31"))
    #expect(text.contains("(full)"))
    #expect(text.contains("1 met, 0 unmet, 0 skipped"))
    #expect(!text.contains("\u{1B}"))
  }

  @Test("A place in a lock's functions has their caller, and a runtime's place the user's frame")
  func callers() {
    func frame(_ address: UInt, _ function: String, in image: String? = nil) -> StackFrame {
      let file = image == nil ? "/app/Code.swift" : nil
      return StackFrame(
        address: address, function: function, file: file, line: file.map { _ in Int(address) },
        image: image)
    }
    func lines(_ lock: [StackFrame], _ held: [StackFrame]) -> [String] {
      let stack =
        lock + [
          frame(3, "Bank.inner()"), frame(21, held[1].function ?? "", in: held[1].image),
          frame(4, "Bank.outer()"),
        ]
      let side = PotentialFinding.Side(
        party: "thread 1", act: "takes one lock", place: lock, stack: stack,
        held: [.init(object: "another", place: held)])
      let finding = PotentialFinding(kind: .lockOrder, headline: "", sides: [side])
      return FindingText(finding, mostFrames: nil).details
    }
    #expect(
      lines(
        [frame(1, "Lock.lock()"), frame(2, "Lock.withLock(_:)")],
        [frame(1, "Lock.lock()"), frame(20, "Lock.withLock(_:)")]) == [
          "thread 1 takes one lock at Bank.inner()  Code.swift:3 by Lock.withLock(_:)",
          "  holds another, taken at Bank.outer()  Code.swift:4 by Lock.withLock(_:)",
        ])
    let enqueue = "_swift_task_enqueueOnExecutor"
    let (first, second) = (frame(1, "swift_lock", in: "app"), frame(2, enqueue, in: "app"))
    #expect(
      lines([first, second], [first, second]) == [
        "thread 1 takes one lock at Bank.inner()  Code.swift:3",
        "  holds another, taken at Bank.outer()  Code.swift:4",
      ])
  }

  @Test("An expected prediction is left out, unless all is requested")
  func expected() {
    #expect(!text(trial(expected: true)).contains("potential"))
    #expect(text(trial(expected: true), isVerbose: true).contains("potential, not observed"))
  }

  @Test("A report without prediction has no findings, and gives the reason once")
  func blind() {
    let text = text(trial(.unavailable(reason: "no calls are seen")))
    #expect(text.contains("no prediction: no calls are seen"))
    #expect(!text.contains("potential"))
  }

  @Test("A predicted finding in the JSON has its own key, and is never among the conflicts")
  func json() throws {
    let text = JSONReport().text([trial()], of: [trial().trial], seconds: 1, Samples.context)
    #expect(text.contains(#""conflicts": []"#))
    #expect(text.contains(#""kind": "lock-order""#))
    #expect(text.contains(#""state": "on""#))
    #expect(text.contains(#""who": "thread 31""#))
  }

  @Test("A predicted finding is on the page as text, and stays text")
  func page() {
    let page = HTMLReport([trial()], of: [trial().trial], seconds: 1, context: Samples.context).text
    #expect(page.contains("Potential findings"))
    #expect(page.contains("takes &lt;the other&gt; lock at transfer()  Bank.swift:21"))
    #expect(!page.contains("<the other>"))
    let none = HTMLReport(
      [Samples.all[0]], of: [Samples.all[0].trial], seconds: 1, context: Samples.context
    ).text
    #expect(!none.contains("Potential findings"))
  }
}
