import Explorer
import Foundation
import OrderPrograms
import Programs
import TestSupport
import Testing

/// The programs of `OrderPrograms`, explored with the default options.
@Suite(.serialized, .controlled, .offThePool) struct OrderProgramTests {
  private static let withBug = orderPrograms.map(\.name)
  private static let repaired = orderPrograms.flatMap { $0.both.dropFirst() }.map(\.name)

  /// The programs that need more than three switches. Each block that begins, and each timer that
  /// fires, is a switch too.
  private static let mostSwitches = [
    "signal-reaches-a-consumer": 5, "timed-out-and-answered": 4, "permit-kept-by-time-out": 6,
    "read-and-set-on-queue": 5, "notified-after-the-first": 5, "change-lost-in-debounce": 5,
    "renewed-and-expired": 4, "loaded-twice-on-main-actor": 6,
    "stopped-before-the-task-is-kept": 4, "answer-lost-to-a-time-out": 8,
    "finished-before-the-last-yield": 4,
  ]

  private func explore(
    _ name: String, seconds: Double = ExplorationOptions().seconds, width: Int? = nil
  ) throws -> ExplorationOutcome {
    let arguments = ["order-program", name, "\(seconds)"] + (width.map { ["\($0)"] } ?? [])
    let child = try TestChild(arguments, limit: 600, at: #_sourceLocation)
    #expect(child.status == 0)
    return try JSONDecoder().decode(ExplorationOutcome.self, from: Data(child.output.utf8))
  }

  @Test(
    "the bug of a small program that needs an order is found and shrunk",
    .hangLimit, arguments: withBug)
  func bug(_ name: String) throws {
    let failure = try #require(try explore(name).failure)
    switch failure.verdict {
    case .failed, .deadlock, .crashed: break
    default: Issue.record("\(failure.verdict)")
    }
    #expect(failure.schedule.switches <= Self.mostSwitches[name] ?? 3)
  }

  @Test(
    "all orders of the repaired program pass, with pools of the machine's width and wider",
    .hangLimit, arguments: repaired)
  func repair(_ name: String) throws {
    for width in [nil, 4] {
      // All orders finish within 10 s on an idle machine, but not on a busy one.
      let outcome = try explore(name, seconds: 300, width: width)
      guard case .allOrdersPass = outcome else {
        Issue.record("at width \(width ?? 0): \(outcome)")
        return
      }
    }
  }

  @Test("there are at least 40 programs, each with a repaired twin")
  func count() {
    #expect(Self.withBug.count >= 40)
    #expect(Self.repaired == Self.withBug.map { $0 + "-repaired" })
  }
}
