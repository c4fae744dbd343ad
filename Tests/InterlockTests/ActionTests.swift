import Foundation
import Interlock
import Testing

/// What happens on a conflict. Each in a process of its own: the settings are the process's.
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
    #expect(text.contains("interlock: conflict on 'action.trap"))
    #expect(text.contains("does not hold what the reader at"))
    #expect(!text.contains("the body ran"))
    #expect(!text.contains("the process went on"))
    #expect(result?.exitStatus != .exitCode(66), "it traps; it does not exit")
  }

  @Test("log reports once, goes on, and exits with 66")
  func log() async {
    let result = await #expect(
      processExitsWith: .exitCode(66), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=log", 1)
      overlap("action.log", times: 3)
      writeLine("the process went on")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "conflict on 'action.log").count == 2)
    #expect(text.contains("the process went on"))
  }

  @Test("record says nothing, keeps the values, and exits with the code that was asked for")
  func record() async {
    let result = await #expect(
      processExitsWith: .exitCode(77), observing: [\.standardErrorContent]
    ) {
      setenv("INTERLOCK_OPTIONS", "on_conflict=record exit_code=77", 1)
      overlap("action.record", times: 3)
      precondition(SectionTracking.conflicts.count == 1)
      precondition(SectionTracking.conflicts[0].count == 3)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("action.record"))
  }

  @Test("a recorded conflict that is removed again does not fail the process")
  func removed() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .record
      overlap("action.removed", times: 1)
      precondition(SectionTracking.conflicts.count == 1)
      SectionTracking.removeAll()
      precondition(SectionTracking.conflicts.isEmpty)
    }
  }

  @Test("a handler is called once for a pair of places, however often they meet")
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

  @Test("a handler is called before the body of the second runs")
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
      // What is written after the body's own end is not observed.
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

/// Two owners, one of them a writer, in sections on one resource at once; always the same two places.
func overlap(_ name: String, times: Int) {
  let section = Section(name)
  for _ in 0..<times {
    section.begin(.noWrite)
    onThread { section.write {} }
    section.end(.noWrite)
  }
}

func writeLine(_ text: String) {
  FileHandle.standardError.write(Data("\(text)\n".utf8))
}
