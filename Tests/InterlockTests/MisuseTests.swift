import Foundation
import Interlock
import Testing

/// Wrong marks, each reported with its place in the source.
struct MisuseTests {
  init() { Findings.collect() }

  @Test("an end without a begin names its place")
  func endWithoutBegin() {
    END_LOCK(.noWrite, "misuse.never")
    let line = UInt(#line) - 1
    let found = Findings.misuses(on: "misuse.never")
    #expect(found.map(\.kind) == [.endWithoutBegin])
    #expect(found.first?.end?.line == Int(line))
    #expect(found.first?.begin == nil)
  }

  @Test("an end by another owner names both places, and ends the section")
  func endByAnother() {
    let section = Section("misuse.another")
    section.begin(.noReadWrite)
    let begun = #line - 1
    onThread { section.end(.noReadWrite) }
    let ended = #line - 1
    let found = Findings.misuses(on: "misuse.another")
    #expect(found.map(\.kind) == [.endByAnotherOwner])
    #expect(found.first?.begin?.line == begun)
    #expect(found.first?.end?.line == ended)
    onThread { section.write {} }
    #expect(Findings.conflicts(on: "misuse.another").isEmpty)
  }

  @Test("an end in another mode names both places, and ends the section")
  func endInAnotherMode() {
    let section = Section("misuse.mode")
    section.begin(.noReadWrite)
    let begun = #line - 1
    section.end(.noWrite)
    let ended = #line - 1
    let found = Findings.misuses(on: "misuse.mode")
    #expect(found.map(\.kind) == [.endInAnotherMode])
    #expect(found.first?.begin?.line == begun)
    #expect(found.first?.end?.line == ended)
    onThread { section.write {} }
    #expect(Findings.conflicts(on: "misuse.mode").isEmpty)
  }

  @Test("a thread that exits with a section open names the begin, and the section is over")
  func threadExits() {
    let section = Section("misuse.exit")
    let computed = "misuse.exit.\(1)"
    onThread {
      section.begin(.noReadWrite)
      BEGIN_LOCK(.noWrite, computed)
    }
    let begun = #line - 3
    let found = Findings.misuses(on: "misuse.exit")
    #expect(found.map(\.kind) == [.threadExited])
    #expect(found.first?.begin?.line == begun)
    #expect(Findings.misuses(on: computed).map(\.kind) == [.threadExited])
    section.write {}
    BEGIN_LOCK(.noReadWrite, computed)
    END_LOCK(.noReadWrite, computed)
    #expect(Findings.conflicts(on: "misuse.exit").isEmpty)
    #expect(Findings.conflicts(on: computed).isEmpty)
  }

  @Test("a task's section does not end with the thread that it began on")
  func taskOutlivesThread() async {
    let section = Section("misuse.task")
    let executor = FreshThreads(stay: false)
    await Task(executorPreference: executor) {
      section.begin(.noReadWrite)
      // The thread has exited when `changeThread` returns.
      await executor.changeThread()
      onThread { section.read {} }
      section.end(.noReadWrite)
    }.value
    executor.finish()
    #expect(Findings.conflicts(on: "misuse.task").count == 1, "it was still open")
    #expect(Findings.misuses(on: "misuse.task").isEmpty)
  }

  @Test("a misuse of a section is not a conflict")
  func apart() {
    END_LOCK(.noReadWrite, "misuse.apart")
    #expect(Findings.misuses(on: "misuse.apart").count == 1)
    #expect(Findings.conflicts(on: "misuse.apart").isEmpty)
  }

  @Test("a process that ends with a section open names the begin")
  func processEnds() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      BEGIN_LOCK(.noReadWrite, "misuse.end")
      BEGIN_LOCK(.noWrite, "misuse.computed.\(7)")
      BEGIN_LOCK(.noWrite, "misuse.closed")
      END_LOCK(.noWrite, "misuse.closed")
      // Output after the body's end is not observed.
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("section on 'misuse.end' still open as the process ended; begun at"))
    #expect(text.contains("section on 'misuse.computed.7' still open"))
    #expect(text.contains("MisuseTests.swift:"))
    #expect(!text.contains("misuse.closed"))
  }
}
