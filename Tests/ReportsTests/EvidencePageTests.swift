import Foundation
import HangReports
import Interlock
import ProcessInspection
import StressRunner
import Testing
import Hangs

@testable import Reports

/// The evidence that a page shows for a race, a crash and a violation, and what its wait-for graphs
/// omit.
@Suite("The evidence on a page")
struct EvidencePageTests {
  private func html(
    _ results: [TrialResult], isVerbose: Bool = false,
    source: (@Sendable (String) -> String?)? = nil
  ) -> String {
    HTMLReport(
      results, of: results.map(\.trial), seconds: 1, context: Samples.context,
      isVerbose: isVerbose, source: source ?? { _ in nil }
    ).text
  }

  private var violation: TrialResult {
    var result = Samples.violation
    // A failure that the verdict's message does not include.
    result.observation.oracleFailures.append(
      .init(oracle: .completesOnce, evidence: "call 7 completed twice"))
    result.trial.scenario.workload.script = Script(
      roles: [Script.Role("A", [Script.Call(.get)]), Script.Role("B", [Script.Call(.set)])],
      order: [Script.Step("B", "call 1 ends")])
    result.observation.script = ScriptRecord(
      passages: [
        .init(role: "A", text: "get key-0"), .init(role: "B", text: "reaches cache.set.inside"),
        .init(role: nil, text: "told by a thread of its own"),
      ], givenUp: "B never came")
    return Samples.judged(result.trial, result.observation)
  }

  private var crash: TrialResult {
    var result = Samples.crash
    result.observation.crash?.stack = [
      StackFrame(address: 1, function: "_assertionFailure()", image: "libswiftCore.so"),
      StackFrame(address: 2, function: "Bank.take(_:)", file: "/src/Bank.swift", line: 12),
    ]
    return Samples.judged(result.trial, result.observation)
  }

  private var race: TrialResult {
    var result = Samples.race
    result.observation.conflicts[0].second.stack = [
      StackFrame(address: 8, function: "Bank.put(_:)", file: "/src/Storage.swift", line: 36)
    ]
    return Samples.judged(result.trial, result.observation)
  }

  /// The words of a text, in lower case.
  private func words(_ text: some StringProtocol) -> Set<String> {
    Set(
      text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "." }.map(String.init))
  }

  @Test("The page has every word that --verbose shows for a race, a crash and a violation")
  func whole() {
    for result in [race, crash, violation, Samples.deadlock] {
      let lines = EvidenceText(
        context: Samples.context, style: TextStyle(color: false), isVerbose: true
      ).lines(result, times: 1, of: 1)
      let page = Page(html([result]))
      #expect(page.error == nil)
      // A list numbers the frames.
      let shown = page.elements.filter { $0.parents.contains("section") }
        .reduce(into: Set((0..<20).map(String.init))) { $0.formUnion(words($1.text)) }
      for line in lines {
        #expect(words(line).subtracting(shown).isEmpty, "\(result.verdict.kind): \(line)")
      }
    }
  }

  @Test("The page shows both sides of a race, each with its owner, stack and source lines")
  func source() throws {
    let code = (1...50).map { "line \($0) <of> code" }.joined(separator: "\n")
    let page = Page(html([race]) { $0 == "/src/Storage.swift" ? code : nil })
    #expect(page.error == nil)
    let sides = page.elements.filter { $0.attributes["class"] == "side" }
    try #require(sides.count == 2)
    #expect(sides[0].text.contains("thread 'thread 7', queue 'stress'"))
    #expect(sides[0].text.contains("Storage.touch(_:)"))
    #expect(sides[1].text.contains("thread 'thread 8', task 5"))
    #expect(sides[1].text.contains("Bank.put(_:)"))
    // The first call began at line 31, as its place shows; the second at line 36.
    let sources = page.elements.filter { $0.attributes["class"] == "source" }
    try #require(sources.map { $0.attributes["start"] } == ["28", "33"])
    let marked = page.elements.filter { $0.attributes["class"] == "here" }
    #expect(marked.map(\.text) == ["line 31 <of> code", "line 36 <of> code"])
    #expect(sources[0].text.contains("line 28") && sources[0].text.contains("line 34"))
  }

  @Test("The page shows the source lines of a crash in the user's code, even near the file's end")
  func crashSource() {
    let code = (1...12).map { "line \($0)" }.joined(separator: "\n")
    let page = Page(html([crash]) { $0 == "/src/Bank.swift" ? code : nil })
    let source = page.elements.filter { $0.attributes["class"] == "source" }
    #expect(source.count == 1 && source.first?.attributes["start"] == "9")
    #expect(page.elements.first { $0.attributes["class"] == "here" }?.text == "line 12")
    // A file that has changed since then has no such line.
    #expect(!html([crash]) { _ in "short" }.contains("class=\"here\""))
  }

  @Test("The page opens only source files: a child may name any path as its source")
  func hostileSource() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("source-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["a.swift", "secret", "b.json"] {
      try "text".write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
    #expect(mkfifo(folder + "/pipe.swift", 0o600) == 0)
    #expect(SourceExcerpt.file(folder + "/a.swift") == "text")
    for path in ["/secret", "/b.json", "/pipe.swift", "/none.swift", ""] {
      #expect(SourceExcerpt.file(folder + path) == nil)
    }
    #expect(SourceExcerpt.file("a.swift") == nil)
  }

  // MARK: The harness

  private func frame(_ function: String, _ file: String?, _ image: String? = nil) -> StackFrame {
    StackFrame(
      address: 1, function: function, file: file, line: file == nil ? nil : 7, image: image)
  }

  private var diagnosis: Explanation {
    let wait = frame("pthread_cond_wait", nil, "libc.so.6")
    let driver = frame("PhaseRun.wait()", Samples.runnersFile)
    let start = frame("start_thread", nil, "libc.so.6")
    func thread(_ id: String, _ stack: [StackFrame], isMarked: Bool = false) -> Explanation.Node {
      .init(id: id, kind: .thread, title: "thread \(id)", stack: stack, isMarked: isMarked)
    }
    return Explanation(
      cause: .cycle, isCertain: true, headline: "two wait",
      nodes: [
        thread("users", [wait, frame("Bank.take()", "/src/Bank.swift"), driver, start]),
        thread("stripped", [wait, frame("take", nil, "libbank.so"), driver, start]),
        thread("between", [wait, driver, frame("Bank.give()", "/src/Bank.swift"), driver, start]),
        thread("harness", [wait, driver, frame("@objc start", nil, "interlock"), start]),
        thread("main", [wait, driver, frame("main", "/src/main.swift"), start]),
        thread("marked", [wait, driver, start], isMarked: true),
        thread("dispatch", [frame("epoll_wait", nil, "libc.so.6"), start]),
        .init(id: "its", kind: .semaphore, title: "its semaphore"),
        .init(id: "shared", kind: .lock, title: "a lock"),
      ],
      edges: [
        .init(from: "harness", to: "its", label: "waits for"),
        .init(from: "harness", to: "shared", label: "waits for"),
        .init(from: "users", to: "shared", label: "waits for"),
      ])
  }

  @Test("The page's graph omits the harness's threads and frames, and nothing of the user's")
  func harness() {
    let shown = diagnosis.withoutHarness
    #expect(shown.nodes.map(\.id) == ["users", "stripped", "between", "marked", "shared"])
    #expect(shown.edges.map(\.from) == ["users"])
    #expect(shown.nodes[0].stack.map(\.function) == ["pthread_cond_wait", "Bank.take()"])
    #expect(shown.nodes[1].stack.map(\.function) == ["pthread_cond_wait", "take"])
    // A program that runs alone has no such frames, and nothing in it belongs to the harness.
    let plain = Hangs.certain.explanation
    #expect(plain?.withoutHarness == plain)
  }

  @Test("The page's graph shows the harness's threads and frames if all is requested")
  func verbose() {
    var waits = Hangs.ring
    waits.threads.append(
      .init(
        id: 99, name: "workload",
        wait: .init(
          kind: .semaphore, object: 0x77, place: [], seconds: 1),
        stack: [
          frame("sem_wait", nil, "libc.so.6"),
          frame("PhaseRun.wait()", Samples.runnersFile),
        ]))
    let result = Hangs.result(waits)
    #expect(!html([result]).contains("workload"))
    #expect(html([result], isVerbose: true).contains("workload"))
  }

  @Test("The page shows the source of a call that waits for its own queue, and of the outer call")
  func sourceOfSelfWait() {
    let lines = (1...80).map { "code of line \($0)" }.joined(separator: "\n")
    let result = Hangs.result(Hangs.trap) { $0.ending = .signalled(number: SIGILL) }
    let page = html([result]) { $0.hasSuffix("Cache.swift") ? lines : nil }
    for line in [60, 61] {
      #expect(page.contains("<li class=\"here\"><code>code of line \(line)</code></li>"))
    }
  }

  @Test("A picture's tooltip has one line for each detail")
  func tooltip() {
    let page = html([Hangs.likely])
    #expect(page.contains("<title>thread"))
    #expect(!page.contains("u{a}"))
  }

  @Test("Without --verbose, a graph's stacks and lines show no code of the harness")
  func forwarders() {
    var waits = Hangs.ring
    OwnCode.register(OwnCode.processInspection)
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = "/\(package)/Sources/CInterlockEvents/Dispatch/interpose_dispatch_sync.c"
    waits.threads[0].stack.insert(
      StackFrame(address: 1, function: "seen_dispatch_sync", file: file, line: 67), at: 0)
    #expect(!html([Hangs.result(waits)]).contains("seen_dispatch_sync"))
    #expect(html([Hangs.result(waits)], isVerbose: true).contains("seen_dispatch_sync"))
  }
}
