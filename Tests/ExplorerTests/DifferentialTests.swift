import Foundation
import TestSupport
import Testing

/// Compares the model with reality, and partial order reduction with plain search, on programs that
/// are generated from seeds: queues with targets, barriers, groups, semaphores, conditions, work
/// items, threads, tasks, actors, continuations and streams.
@Suite(.serialized, .controlled, .offThePool) struct DifferentialTests {
  /// The sums that the child prints.
  private struct Comparison {
    let child: TestChild

    init(_ options: String..., at location: SourceLocation = #_sourceLocation) throws {
      try self.init(options, at: location)
    }

    init(_ options: [String], at location: SourceLocation = #_sourceLocation) throws {
      child = try TestChild(["generated"] + options, limit: 1200, at: location)
      #expect(child.status == 0, sourceLocation: location)
    }

    private func number(_ name: String) -> Int { child.facts[name].flatMap { Int($0) } ?? -1 }
    var finished: Int { number("finished") }
    var unfinished: Int { number("unfinished") }
    var stuck: Int { number("stuck") }
    var outside: Int { number("outside") }
    /// The number of programs with an outcome that the finished other search does not have.
    var unreal: Int { number("unreal") }
    /// The programs that differ, with their seeds, as text.
    var report: Comment {
      let lines = child.output.split(separator: "\n")
      let first = lines.firstIndex { $0.contains("outside: ") || $0.contains("stuck: ") }
      return Comment(rawValue: lines[(first ?? lines.endIndex)...].joined(separator: "\n"))
    }
  }

  /// Each program has 15 real executions, or `INTERLOCK_DIFFERENTIAL_RUNS`. An outcome outside the
  /// explored ones is a fault of the model, however rare it is.
  @Test(
    "each outcome of real queues and tasks is among the explored outcomes",
    arguments: [0, 50, 100, 150])
  func reality(_ first: Int) throws {
    let runs = ProcessInfo.processInfo.environment["INTERLOCK_DIFFERENTIAL_RUNS"] ?? "15"
    let comparison = try Comparison(
      "--first", "\(first)", "--count", "50", "--runs", runs, "--executions", "3000")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    // An unfinished program is no evidence.
    #expect(comparison.finished >= 40)
    #expect(comparison.finished + comparison.unfinished == 50)
  }

  @Test("partial order reduction finds each outcome that plain search finds in small programs")
  func plainSearch() throws {
    let comparison = try Comparison(
      "--first", "0", "--count", "240", "--small", "--executions", "1500")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 100)
  }

  @Test("partial order reduction finds each outcome of 500 random orders, also of tasks")
  func randomOrders() throws {
    let comparison = try Comparison(
      "--first", "200", "--count", "100", "--random", "500", "--executions", "2000")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 80)
  }

  @Test("the search finishes nearly all of 300 programs, and finds each outcome of random orders")
  func tasks() throws {
    let comparison = try Comparison(
      "--first", "0", "--count", "300", "--random", "300", "--know-facts", "--executions", "20000")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 294)
  }

  /// The search that knows all facts from the start leaves each wait of a task and each queue of an
  /// actor to the runtime. The model, which replaces both, must neither lose nor add an outcome.
  @Test("the model's waits and turns have exactly the outcomes that the runtime's have")
  func waits() throws {
    let comparison = try Comparison(
      "--first", "0", "--count", "150", "--know-facts", "--executions", "1500")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.unreal == 0, comparison.report)
    #expect(comparison.finished >= 50)
  }

  /// Plain search finishes one in four of these programs: each sleep may end at each point.
  @Test("no outcome of plain search is missing in programs with sleeps, timers and limits")
  func time() throws {
    let comparison = try Comparison(
      "--first", "100000", "--count", "80", "--small", "--executions", "3000")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.unreal == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 15)
  }

  @Test("no outcome of 300 random orders is missing in programs with sleeps, timers and limits")
  func randomOrdersInTime() throws {
    let comparison = try Comparison(
      "--first", "100000", "--count", "400", "--small", "--random", "300", "--executions", "3000")
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 380)
  }

  @Test(
    "no outcome of real runs or random orders is missing in programs that cancel tasks or reduce",
    arguments: [["--runs", "5"], ["--random", "300"]])
  func sequences(_ others: [String]) throws {
    let comparison = try Comparison(
      ["--first", "200000", "--count", "60", "--executions", "2000"] + others)
    #expect(comparison.outside == 0, comparison.report)
    #expect(comparison.stuck == 0, comparison.report)
    #expect(comparison.finished >= 35)
  }

  @Test("an exploration may have more than 64 threads in total if fewer are alive at a time")
  func manyThreads() throws {
    let comparison = try Comparison(
      "--first", "49", "--count", "1", "--random", "1000", "--executions", "10000")
    #expect(comparison.finished == 1)
    #expect(comparison.outside == 0, comparison.report)
  }
}
