import Findings
import Interlock
import StressRunner
import TestSupport
import Testing

@testable import Reports

@Suite("A race in memory")
struct MemoryReportTests {
  @Test("The text, the JSON and the page show both accesses of a race in memory, with held locks")
  func shown() throws {
    let report = EvidenceText(
      context: Faults.context, style: TextStyle(color: false), isVerbose: false)
    let text = report.lines(Faults.memory, times: 1, of: 1).joined(separator: "\n")
    let json = JSONReport.entry(Faults.memory)
    expectGolden(text + "\n\n" + json + "\n", "memory.txt")
    let page = HTMLReport(
      [Faults.memory], of: [Faults.memory.trial], seconds: 1, context: Samples.context,
      isVerbose: false, source: { _ in "let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\n" }
    ).text
    for part in [
      "first: write of 1 byte", "second: read of 8 bytes", "thread 3050, task 10",
      "holds the lock at 0x7f0f5c010580", "holds no lock",
      "Only one of the two holds a lock", "Race in memory, not decided",
    ] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test("The verdict on a race in memory is 'race', for 'memory', and its kind has an explanation")
  func verdict() throws {
    #expect(Faults.memory.verdict.kind == .race)
    let entry = try JSONReader.read(Array(JSONReport.entry(Faults.memory).utf8))
    #expect(entry["verdict"]?.string == "race")
    #expect(entry["reason"]?["kind"]?.string == "memory")
    let finding = try #require(Faults.findings(Faults.memory).first)
    #expect(finding.rule == Rule.named("memory-race"))
    #expect(finding.sides.map(\.place.line) == [9, 8])
    #expect(finding.key.functions == ["Users.name(of:)", "closure #1 in Users.rename(_:to:)"])
  }

  @Test("Each race in memory of a trial is a finding, and the verdict's race is one only once")
  func several() {
    var seen = Faults.memory.observation
    var other = seen.memory?.races[0]
    other?.second.place.function = "Users.count()"
    seen.memory?.races += [other].compactMap(\.self)
    let result = Samples.judged(Faults.memory.trial, seen)
    #expect(Faults.findings(result).map(\.rule) == [.memoryRace, .memoryRace])
    #expect(result.message.hasSuffix(" (and 1 more race)"))
  }

  @Test("The evidence says that the check of memory was switched off, and why")
  func lost() {
    var seen = Faults.memory.observation
    seen.memory = MemoryRecord()
    seen.memory?.lostBecause = "a timer's handler was set"
    let report = EvidenceText(
      context: Faults.context, style: TextStyle(color: false), isVerbose: false)
    let lines = report.lines(Samples.judged(Faults.memory.trial, seen), times: 1, of: 1)
    #expect(
      lines.contains("  races in memory were no longer looked for: a timer's handler was set"))
  }

  @Test("A trial whose races are not decided passes; the text and the JSON name the code")
  func undecided() {
    var seen = Faults.memory.observation
    seen.memory?.races = []
    let result = Samples.judged(Faults.memory.trial, seen)
    #expect(result.verdict.kind == .passed)
    #expect(Faults.findings(result).isEmpty)
    #expect(JSONReport.entry(result).contains(#""plainCode": ["#))
    let text = TextReport(
      context: Faults.context, style: TextStyle(color: false), isVerbose: false
    ).text([result], of: [result.trial], seconds: 1, width: 200)
    #expect(
      text.contains(
        """
        not decided: a race in memory, on names: nothing that is seen orders the read of 8 bytes \
        at Users.name(of:)  Users.swift:9 after the write of 1 byte at closure #1 in \
        Users.rename(_:to:)  Users.swift:8; Only one of the two holds a lock, which does not keep \
        the other out. Code that is compiled without '-sanitize=thread' ran in between and may \
        order the two: Legacy.swift, queue.c.
        """))
  }

  private func isKnown(_ pattern: String) throws -> Bool {
    let file = """
      { "schema": "interlock-known-findings", "schemaVersion": 1, "known": [],
        "suppress": [{ \(pattern), "reason": "old" }] }
      """
    let known = try KnownFindings(Array(file.utf8))
    let finding = try #require(Faults.findings(Faults.memory).first)
    // A baseline that is read is written again unchanged.
    #expect(try KnownFindings(Array(known.text.utf8)).text == known.text)
    return known.reason(for: finding, on: "2026-11-23") == "old"
  }

  @Test(
    "A pattern of a baseline matches a race in memory by function, file or type",
    arguments: [
      #""function": "Users.name(of:)""#, #""function": "*rename*""#, #""file": "Users.swift""#,
      #""file": "/src/Users.swift""#, #""file": "src/*.swift""#, #""type": "Users""#,
      #""type": "Us*", "file": "Users.swift", "kind": "memory-race""#,
    ])
  func known(_ pattern: String) throws { #expect(try isKnown(pattern)) }

  @Test(
    "A pattern of another function, file or type does not match a race in memory",
    arguments: [
      #""function": "Users""#, #""file": "sers.swift""#, #""file": "Groups.swift""#,
      #""type": "User""#, #""type": "name""#, #""type": "Users", "file": "Groups.swift""#,
      #""kind": "race", "type": "Users""#,
    ])
  func unknown(_ pattern: String) throws { #expect(try !isKnown(pattern)) }

  @Test("The types of a function are the types in its name, and the types around them")
  func types() {
    #expect(typeNames(of: "closure #1 in Users.rename(_:to:)") == ["Users", "Users"])
    #expect(typeNames(of: "Users.Table.count.getter") == ["Users", "Table", "Users.Table"])
    #expect(typeNames(of: "static Cache<Int>.shared") == ["Cache", "Cache"])
    #expect(typeNames(of: "main").isEmpty)
  }
}
