import StressRunner
import Testing

@testable import InterlockStress

@Suite("The progress display of a terminal")
struct ProgressDisplayTests {
  private func lines(running: Int, width: Int = 80, height: Int) throws -> [Substring] {
    let test = try TestWorld()
    #expect(test.run("reads", "--subject", "good", "--repeat", "20") == .met)
    var display = ProgressDisplay(test.trials)
    for index in 0..<running { display.started(index) }
    return display.redraw(above: "", width: width, height: height).split(separator: "\n")
  }

  @Test("The progress display leaves at least one row free, however many trials run")
  func height() throws {
    for height in 0...30 {
      for running in [0, 1, 3, 8, 20] {
        #expect(try lines(running: running, height: height).count <= max(0, height - 1))
      }
    }
  }

  @Test("The progress display counts the trials that do not fit, and only those")
  func rest() throws {
    #expect(
      try lines(running: 20, height: 6).dropLast()
        == ["… reads  good", "… reads  good", "… reads  good", "… and 17 more"])
    #expect(try lines(running: 4, height: 6).dropLast().allSatisfy { $0 == "… reads  good" })
    #expect(try lines(running: 9, height: 24)[7] == "… and 2 more")
    #expect(try lines(running: 5, height: 2).count == 1)
  }

  @Test("The progress display is cleared once, from the start of the line")
  func clear() throws {
    var display = ProgressDisplay([])
    #expect(display.clear() == "")
    _ = display.redraw(above: "", width: 80, height: 24)
    #expect(display.clear() == "\r\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[J")
    #expect(display.clear() == "")
  }
}
