import Foundation
import InterlockTestsC
import Testing

@testable import Interlock

/// The actions on a conflict. Each test runs in a separate process, because the settings are
/// process-wide.
struct ActionTests {
  @Test("by default the report goes to standard error and the process traps before the body runs")
  func trap() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let section = Section("action.trap")
      section.begin(.noWrite)
      onThread { section.write { writeLine("the body ran") } }
      writeLine("the process went on")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("conflict on 'action.trap") }
    #expect(
      lines.first?.firstMatch(
        of: /^InterlockTests\/ActionTests.swift:\d+: .* write here, read at InterlockTests.*:\d+$/)
        != nil, "the headline comes first")
    #expect(lines.dropFirst().first?.hasPrefix("interlock: conflict on 'action.trap") == true)
    #expect(lines.count == 2)
    #expect(text.contains("Nothing kept the writer at"))
    #expect(!text.contains("the body ran"))
    #expect(!text.contains("the process went on"))
    #expect(result?.exitStatus != .exitCode(66), "it traps; it does not exit")
  }

  @Test("the headline of a conflict is printed before symbolication, which may end the process")
  func headlineFirst() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      // On Linux the symbols of every mapped file are read: reading a file that has been truncated
      // since then is a bus error.
      precondition(c_map_file_that_is_gone() == 0)
      let section = Section("action.headline")
      section.begin(.noReadWrite)
      onThread { section.read {} }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        /ActionTests\.swift:\d+: conflict on 'action\.headline #\d+': read here, write at .*ActionTests\.swift:\d+\n/
      ))
  }

  @Test("a property's headline names the line that declares it")
  func propertyHeadline() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log", 1)
      Rack().meet()
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let headlines = text.split(separator: "\n").filter { $0.hasPrefix("InterlockTests/Action") }
      .map { $0.replacing(/(:|#)\d+/, with: "") }
    #expect(
      headlines == [
        """
        InterlockTests/ActionTests.swift: conflict on a property, declared here: \
        read overlaps write
        """,
        """
        InterlockTests/ActionTests.swift: conflict on 'action.boxes ', declared here: \
        write overlaps write
        """,
        // Repeated at exit, with symbols.
        """
        InterlockTests/ActionTests.swift: conflict on 'Rack.books ': read here, write at \
        InterlockTests/ActionTests.swift
        """,
        """
        InterlockTests/ActionTests.swift: conflict on 'action.boxes ': write here, write at \
        InterlockTests/ActionTests.swift
        """,
      ])
    #expect(
      text.hasSuffix(
        "\ninterlock: the exit code is 66: 2 conflicts were logged; both sides of each are in its"
          + " report above\n"))
  }

  @Test("on_conflict=log reports a conflict once, continues, and exits with 66")
  func log() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log", 1)
      overlap("action.log", times: 3)
      writeLine("the process went on")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "\ninterlock: conflict on 'action.log").count == 2)
    #expect(text.matches(of: /\.swift:\d+: conflict on 'action\.log/).count == 1)
    #expect(text.contains("the process went on"))
  }

  @Test("on_conflict=log reports a pair of places once for all instances of a name")
  func logInstances() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log", 1)
      for _ in 0..<30 { overlap("action.instances", times: 1) }
      overlap("action.name", times: 2)
      writeLine("the end")
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.replacing(/(:|#)\d+/, with: "").split(separator: "\n")
    let reports = lines.filter { $0.hasPrefix("interlock: conflict on ") }
    #expect(
      reports == [
        "interlock: conflict on 'action.instances '", "interlock: conflict on 'action.name '",
      ])
    #expect(
      lines.drop { $0 != "the end" } == [
        "the end",
        """
        InterlockTests/ActionTests.swift: conflict on 'action.instances ': write here, read at \
        InterlockTests/ActionTests.swift (30 times, also on other instances)
        """,
        """
        InterlockTests/ActionTests.swift: conflict on 'action.name ': write here, read at \
        InterlockTests/ActionTests.swift (2 times)
        """,
        """
        interlock: the exit code is 66: 2 conflicts were logged; both sides of each are in its \
        report above
        """,
      ])
  }

  @Test("on_conflict=record keeps one conflict for all instances of a name, with a count")
  func recordInstances() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      for _ in 0..<30 { overlap("action.instances", times: 1) }
      precondition(SectionTracking.conflicts.map(\.count) == [30])
      SectionTracking.removeAll()
    }
  }

  @Test("a conflict's handler is called for each instance, up to a number at one pair of places")
  func handlerInstances() async {
    await #expect(processExitsWith: .exitCode(9)) {
      let calls = Counter()
      SectionTracking.onConflict = .handler { _ in calls.add() }
      let most = ConflictLog.mostOfPlaces
      for _ in 0..<30 { overlap("action.instances", times: 2) }
      precondition(calls.value == 30)
      for _ in 30..<most { overlap("action.instances", times: 1) }
      precondition(calls.value == most)
      for number in 0..<35 { overlap("action.name \(number)", times: 1) }
      precondition(calls.value == most + 1, "\(calls.value)")
      precondition(SectionTracking.conflicts.count == most + 1)
      precondition(SectionTracking.conflicts.last?.count == 35)
      for _ in 0..<2 { overlapElsewhere("action.instances") }
      precondition(calls.value == most + 3)
      exit(9)
    }
  }

  @Test("on_conflict=record keeps the values, and names at exit the conflicts behind the exit code")
  func record() async {
    let result = await #expect(
      processExitsWith: .exitCode(77), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=record exit_code=77", 1)
      overlap("action.record", times: 3)
      precondition(SectionTracking.conflicts.count == 1)
      precondition(SectionTracking.conflicts[0].count == 3)
      writeLine("the end")
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.replacing(/(:|#)\d+/, with: "").split(separator: "\n")
    #expect(
      lines == [
        "the end",
        """
        InterlockTests/ActionTests.swift: conflict on 'action.record ': write here, read at \
        InterlockTests/ActionTests.swift (3 times)
        """,
        """
        interlock: the exit code is 77: 1 conflict was recorded; both sides with their stacks are \
        in SectionTracking.conflicts, or in the log with on_conflict=log
        """,
      ])
  }

  @Test("at exit twenty conflicts have a line each, and further conflicts are counted")
  func manyAtEnd() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      SectionTracking.onConflict = .record
      for number in 0..<23 { overlap("action.many.\(number)", times: 1) }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.matches(of: /conflict on 'action\.many/).count == 20)
    #expect(text.contains("\n… and 3 more conflicts\n"))
    #expect(text.contains(" 23 conflicts were recorded"))
  }

  @Test("a recorded conflict that was removed does not fail the process")
  func removed() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      overlap("action.removed", times: 1)
      precondition(SectionTracking.conflicts.count == 1)
      SectionTracking.removeAll()
      precondition(SectionTracking.conflicts.isEmpty)
    }
  }

  @Test("a conflict's handler is called once for a pair of places, however often they overlap")
  func handlerOnce() async {
    await #expect(processExitsWith: .exitCode(9)) {
      let calls = Counter()
      SectionTracking.onConflict = .handler { _ in calls.add() }
      overlap("action.once", times: 3)
      precondition(SectionTracking.conflicts.map(\.count) == [3])
      precondition(calls.value == 1)
      exit(9)
    }
  }

  @Test("a conflict's handler is called before the body of the second section runs")
  func handler() async {
    await #expect(processExitsWith: .exitCode(9)) {
      SectionTracking.onConflict = .handler { conflict in
        precondition(conflict.resource == "action.handler")
        exit(9)
      }
      let section = Section("action.handler")
      section.begin(.noReadWrite)
      onThread { section.read { _ = exit(10) } }
    }
  }

  @Test("handlers that exit registers before still run when the exit code changes")
  func exitHandlers() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      atexit { writeLine("the earlier handler ran") }
      SectionTracking.onConflict = .record
      overlap("action.exit", times: 1)
      // Output after the body's end is not observed.
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the earlier handler ran"))
  }

  @Test("sections=off tracks nothing")
  func off() async {
    await #expect(processExitsWith: .success) {
      setenv("INTERLOCK_OPTIONS", "sections=off", 1)
      overlap("action.off", times: 1)
      END_LOCK(.noWrite, "action.off")
      precondition(SectionTracking.misuses.isEmpty)
    }
  }
}

/// Outside the test: code in a macro's argument would have the macro's file.
private final class Rack: @unchecked Sendable {
  // Unchecked: the tests check its conflicts.
  @Tracked var books: [Int] = []
  @Tracked("action.boxes") var boxes: [Int] = []

  func meet() {
    func hold(_ array: inout [Int], _ body: @escaping @Sendable () -> Void) { onThread(body) }
    hold(&books) { _ = self.books.count }
    hold(&boxes) { self.boxes.append(1) }
  }
}

/// Overlaps two sections on one resource, one of them a writer, `times` times at the same two
/// places.
func overlap(_ name: String, times: Int) {
  let section = Section(name)
  for _ in 0..<times {
    section.begin(.noWrite)
    onThread { section.write {} }
    section.end(.noWrite)
  }
}

/// Overlaps two sections at two places of its own.
private func overlapElsewhere(_ name: String) {
  let section = Section(name)
  section.begin(.noWrite)
  onThread { section.write {} }
  section.end(.noWrite)
}

func writeLine(_ text: String) {
  FileHandle.standardError.write(Data("\(text)\n".utf8))
}
