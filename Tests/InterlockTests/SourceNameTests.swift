import Testing

@testable import Interlock

@Suite("The source of a call")
struct SourceNameTests {
  private static let lines = """
    let (isDone, old) = box.value.weakCompareExchange(
      expected: 0, desired: 1)
    #expect(
      flag.compareExchange(expected: (0), desired: 1).exchanged)
    """.split(separator: "\n").map { Array($0.utf8) }

  @Test("the source of a call is the name at its line and column")
  func name() {
    #expect(
      SourceName.name(in: Self.lines, line: 1, column: 31) == .name("weakCompareExchange"))
    #expect(
      SourceName.name(in: Self.lines, line: 1, column: 21)
        == .name("box.value.weakCompareExchange"))
  }

  @Test("the source of a call without a column is the whole use of a macro")
  func macro() {
    #expect(
      SourceName.name(in: Self.lines, line: 3, column: nil)
        == .macro("#expect(   flag.compareExchange(expected: (0), desired: 1).exchanged)"))
  }

  @Test("the source of a call is unknown outside of the file, and at a place without a name")
  func unknown() {
    #expect(SourceName.name(in: Self.lines, line: 9, column: 1) == .unknown)
    #expect(SourceName.name(in: Self.lines, line: 1, column: 400) == .unknown)
    #expect(SourceName.name(in: Self.lines, line: 1, column: 0) == .unknown)
    #expect(SourceName.name(in: Self.lines, line: 1, column: 5) == .unknown)
    #expect(SourceName.name(in: [], line: 1, column: nil) == .unknown)
  }
}
