import Interlock
import Testing

/// The sections that conflict when they overlap.
struct RulesTests {
  init() { Findings.collect() }

  @Test(
    "two owners conflict if and only if one of them writes",
    arguments: [
      (Mode.noWrite, Mode.noWrite, false), (.noWrite, .noReadWrite, true),
      (.noReadWrite, .noWrite, true), (.noReadWrite, .noReadWrite, true),
    ])
  func table(first: Mode, second: Mode, conflicts: Bool) {
    let name = "rules.table.\(first).\(second)"
    let section = Section(name)
    section.begin(first)
    onThread {
      section.begin(second)
      section.end(second)
    }
    section.end(first)
    let found = Findings.conflicts(on: name)
    #expect(found.count == (conflicts ? 1 : 0))
    #expect(found.first?.first.mode == (conflicts ? first : nil))
    #expect(found.first?.second.mode == (conflicts ? second : nil))
  }

  @Test(
    "an owner may nest its own sections in any order",
    arguments: [
      [Mode.noWrite, .noWrite], [.noWrite, .noReadWrite], [.noReadWrite, .noWrite],
      [.noReadWrite, .noReadWrite], [.noWrite, .noReadWrite, .noWrite, .noReadWrite],
    ])
  func nesting(modes: [Mode]) {
    let name = "rules.nesting.\(modes.map { "\($0.rawValue)" }.joined())"
    let section = Section(name)
    for mode in modes { section.begin(mode) }
    for mode in modes.reversed() { section.end(mode) }
    #expect(Findings.conflicts(on: name).isEmpty)
    #expect(Findings.misuses(on: name).isEmpty)
    onThread { section.write {} }
    #expect(Findings.conflicts(on: name).isEmpty, "everything was ended")
  }

  @Test("an upgrade from read to write conflicts only if it overlaps another reader")
  func upgrade() {
    let alone = Section("rules.upgrade.alone")
    alone.read { alone.write {} }
    #expect(Findings.conflicts(on: "rules.upgrade.alone").isEmpty)

    let shared = Section("rules.upgrade.shared")
    shared.begin(.noWrite)
    onThread { shared.read { shared.write {} } }
    shared.end(.noWrite)
    let found = Findings.conflicts(on: "rules.upgrade.shared")
    #expect(found.count == 1)
    #expect(found.first?.second.mode == .noReadWrite)
  }

  @Test("a nested section keeps the outer one open")
  func outerStaysOpen() {
    let section = Section("rules.outer")
    section.begin(.noReadWrite)
    section.write {}
    onThread { section.read {} }
    section.end(.noReadWrite)
    #expect(Findings.conflicts(on: "rules.outer").count == 1)
  }

  @Test("a writer conflicts with each of several readers, and each is reported")
  func severalReaders() {
    let section = Section("rules.several")
    let inside = Barrier(parties: 3)
    let leave = Gate()
    let first = JoinableThread {
      section.read {
        inside.wait(); leave.pass()
      }
    }
    let second = JoinableThread {
      section.read {
        inside.wait(); leave.pass()
      }
    }
    inside.wait()
    section.write {}
    leave.open()
    first.join()
    second.join()
    let found = Findings.conflicts(on: "rules.several")
    #expect(Set(found.map(\.first.place.line)).count == 2)
    #expect(found.allSatisfy { $0.first.mode == .noWrite && $0.second.mode == .noReadWrite })
    #expect(found.map(\.count) == [1, 1])
  }

  @Test("a section's block returns its closure's value, also of an if or a switch")
  func results() throws {
    struct Wrong: Error, Equatable {}
    let section = Section("rules.results")
    for isOdd in [true, false] {
      let byIf = section.read { if isOdd { 5 } else { 6 } }
      let bySwitch = section.write {
        switch isOdd {
        case true: "odd"
        case false: "even"
        }
      }
      #expect(byIf + 1 == (isOdd ? 6 : 7) && bySwitch == (isOdd ? "odd" : "even"))
    }
    #expect(throws: Wrong()) { try section.write { throw Wrong() } }
    // The section has ended although the body threw.
    onThread { section.write {} }
    #expect(Findings.conflicts(on: "rules.results").isEmpty)
  }

  @Test("a section ended before the other begins is no conflict")
  func oneAfterTheOther() {
    let section = Section("rules.after")
    section.write {}
    onThread { section.write {} }
    section.read {}
    #expect(Findings.conflicts(on: "rules.after").isEmpty)
  }

  @Test("a body that throws ends its section, and the error is passed on")
  func throwing() {
    struct Failure: Error {}
    let section = Section("rules.throwing")
    #expect(throws: Failure.self) { try section.write { throw Failure() } }
    let value = section.read { 42 }
    #expect(value == 42)
    onThread { section.write {} }
    #expect(Findings.conflicts(on: "rules.throwing").isEmpty)
  }
}
