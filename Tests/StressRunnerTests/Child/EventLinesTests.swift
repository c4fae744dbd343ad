import Foundation
import Testing

@testable import Explorer
@testable import StressRunner
import Hangs

/// The data that comes through a child's event pipe.
struct EventLinesTests {
  private static let misuse = Array(#"{"misuse":{"_0":"a word"}}"#.utf8) + [10]

  @Test(
    "Events arrive whole and in order, however the data is cut",
    arguments: [1, 7, 27, 28, 4096])
  func pieces(size: Int) {
    let text = Array(
      (0..<50).map { #"{"misuse":{"_0":"\#($0)"}}"# + "\n" }.joined().utf8)
    var lines = EventLines()
    var found: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      for event in lines.take(Array(rest.prefix(size)), at: 0) {
        if case .misuse(let word) = event { found.append(word) }
      }
      rest = rest.dropFirst(size)
    }
    let words = (0..<50).map { "\($0)" }
    #expect(found == words)
    #expect(!lines.isFlooded)
    #expect(lines.bytes == text.count)
  }

  @Test("An event with values that are no numbers arrives, with these values")
  func notANumber() {
    let ends = Pipe()
    let snapshot = WaitSnapshot(nextTimer: .infinity, quietSeconds: .nan)
    EventPipe(descriptor: ends.fileHandleForWriting.fileDescriptor).send(
      .hang(snapshot, isCertain: true, isOnlySlow: false))
    ends.fileHandleForWriting.closeFile()
    var lines = EventLines()
    let events = lines.take(Array(ends.fileHandleForReading.readDataToEndOfFile()), at: 0)
    guard case .hang(let read, isCertain: true, isOnlySlow: false) = events.first else {
      Issue.record("\(events.count) events arrived")
      return
    }
    #expect(read.nextTimer == .infinity)
    #expect(read.quietSeconds.isNaN)
  }

  @Test("A failing order that is too long for a line arrives shortened, and is no flood")
  func longOrder() throws {
    let name = String(repeating: "a", count: 512 << 10)
    let step = Schedule.Step(thread: 1, operation: name, object: 2, place: nil, candidates: 0)
    var schedule = Schedule()
    schedule.blocked = Array(repeating: step, count: 64)
    let failure = ExplorationFailure(
      verdict: .deadlock(nil), text: "stuck", schedule: schedule, token: "i1-0", origin: .order(1))
    let record = ExplorationRecord(outcome: .failed(failure), seconds: 1)
    // A pipe would be full before it is read.
    let path = NSTemporaryDirectory() + "interlock-\(UUID().uuidString)"
    try Data().write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try #require(FileHandle(forWritingAtPath: path))
    EventPipe(descriptor: file.fileDescriptor).send(.explored(record))
    try file.close()
    var lines = EventLines()
    let sent = try Data(contentsOf: URL(fileURLWithPath: path))
    let events = lines.take(Array(sent), at: 1)
    #expect(!lines.isFlooded)
    guard case .explored(let read) = events.first, case .failed(let arrived) = read.outcome else {
      Issue.record("\(events.count) events arrived")
      return
    }
    #expect(arrived.token == "i1-0" && arrived.verdict == .deadlock(nil))
    #expect((8...31).contains(arrived.schedule.blocked.count))
    #expect(arrived.schedule.blockedCount == 64)
    // A short order arrives whole.
    let ends = Pipe()
    schedule.blocked = []
    schedule.steps = (0..<100).map { number in
      Schedule.Step(thread: number, operation: "lock", object: 1, place: nil, candidates: 1)
    }
    var short = failure
    short.schedule = schedule
    EventPipe(descriptor: ends.fileHandleForWriting.fileDescriptor).send(
      .explored(ExplorationRecord(outcome: .failed(short), seconds: 1)))
    ends.fileHandleForWriting.closeFile()
    var other = EventLines()
    let whole = other.take(Array(ends.fileHandleForReading.readDataToEndOfFile()), at: 1)
    guard case .explored(let same) = whole.first else {
      Issue.record("\(whole.count) events arrived")
      return
    }
    #expect(same.outcome == .failed(short))
  }

  @Test("A child that reports a hang twice a second for an hour is no flood")
  func patient() {
    var lines = EventLines()
    var count = 0
    for half in 0..<7200 { count += lines.take(Self.misuse, at: Double(half) / 2).count }
    #expect(count == 7200)
    #expect(!lines.isFlooded)
  }

  @Test("Too many events at once are a flood, and nothing is read after it")
  func many() {
    var lines = EventLines()
    let events = lines.take(
      Array(repeatElement(Self.misuse, count: 5000).joined()), at: 0)
    #expect(lines.isFlooded)
    #expect(events.count < 1100)
    #expect(lines.take(Self.misuse, at: 0).isEmpty)
  }

  @Test(
    "Many lines that are not events are a flood, terminated or not",
    arguments: [
      (10, 200, 1), (0, 70_000, 1),
      (UInt8(ascii: "{"), 1 << 20, (EventLines.longestLine >> 20) + 1),
    ])
  func rubbish(byte: UInt8, count: Int, times: Int) {
    var lines = EventLines()
    let bytes = Array(repeating: byte, count: count)
    for _ in 0..<times {
      // Compared outside of the expectation, which would print a million bytes.
      #expect(!lines.isFlooded)
      let found = lines.take(bytes, at: 0).count
      #expect(found == 0)
    }
    #expect(lines.isFlooded)
  }

  @Test("Many lines of JSON that are not events are a flood")
  func unknown() {
    var lines = EventLines()
    let found = lines.take(
      Array(String(repeating: "{\"unknown\":{}}\n", count: 200).utf8), at: 0
    ).count
    #expect(found == 0)
    #expect(lines.isFlooded)
  }

  @Test("A broken line does not hide the event after it")
  func broken() {
    var lines = EventLines()
    #expect(lines.take(Array("{\"misuse\":{\"_\n".utf8) + Self.misuse, at: 0).count == 1)
    #expect(!lines.isFlooded)
  }
}
