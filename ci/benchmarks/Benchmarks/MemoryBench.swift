import Foundation

/// The cost of checking accesses of memory, relative to ThreadSanitizer: programs as users write
/// them, compiled without a check, with ThreadSanitizer, and with Interlock's check, which is also
/// measured where the environment switches it off.
enum MemoryBench {
  /// A program of `YardstickMemory`, and the most processor time relative to ThreadSanitizer.
  private struct Line {
    var name: String
    var budget: Double
  }

  private static let lines = [
    Line(name: "plain field", budget: 0.9),
    Line(name: "array element", budget: 0.9),
    Line(name: "field under a lock", budget: 0.6),
    Line(name: "dictionary under a lock", budget: 0.9),
    Line(name: "the same, 2 threads", budget: 0.9),
    Line(name: "actor hops", budget: 0.9),
    Line(name: "group of tasks", budget: 0.9),
    Line(name: "queue async", budget: 0.9),
    Line(name: "queue sync", budget: 0.9),
    Line(name: "list", budget: 0.9),
    Line(name: "objects made and freed", budget: 0.9),
    Line(name: "array sorted", budget: 0.7),
    Line(name: "matrix", budget: 0.7),
    Line(name: "strings built", budget: 0.7),
    Line(name: "numbers and objects", budget: 0.9),
  ]
  /// The most memory relative to ThreadSanitizer.
  private static let memoryBudget = 1.0
  /// The most processor time relative to the plain program where the check is switched off.
  private static let offBudget = 1.3
  private static let rounds = 9

  /// The ways to run a program, in the order in which they take turns.
  private enum Way: CaseIterable { case plain, checked, sanitized, off }

  /// The figures that a run prints: the nanoseconds of a turn, and the most memory in bytes.
  private struct Figures {
    var nanoseconds: Double
    var bytes: Double
  }

  /// Measures and prints the table. Has the compiler build the programs again, without a check and
  /// with ThreadSanitizer.
  static func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("interlock-bench-memory-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let checked = own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("YardstickMemory").path
    var commands: [Way: [String]] = [
      .plain: [try build(in: folder, "plain", [])],
      .checked: [checked],
      .off: [checked],
    ]
    commands[.sanitized] = (try? build(in: folder, "sanitized", ["-sanitize=thread"])).map { [$0] }
    print(
      "accesses of memory, \(build) build: processor time relative to ThreadSanitizer and to the"
        + " plain program, and the most memory; medians of \(rounds) interleaved runs, load"
        + " \(load)")
    if commands[.sanitized] == nil {
      print("without ThreadSanitizer: its runtime could not be linked")
    }
    print(row("", "of TSan", "most", ["check", "TSan", "off"], ["plain", "check", "TSan MB"], ""))
    for line in lines { print(try text(of: line, commands)) }
  }

  #if DEBUG
  private static let build = "debug"
  #else
  private static let build = "release"
  #endif

  /// The load of the last minute.
  private static var load: String {
    var averages = [0.0]
    return getloadavg(&averages, 1) == 1 ? String(format: "%.1f", averages[0]) : "unknown"
  }

  private static func text(of line: Line, _ commands: [Way: [String]]) throws -> String {
    var runs: [Way: [Figures]] = [:]
    // In turn, so that a change of the machine's speed affects all.
    for _ in 0..<rounds {
      for way in Way.allCases {
        guard let command = commands[way] else { continue }
        runs[way, default: []].append(
          try figures(of: command + [line.name] + (way == .off ? ["off"] : [])))
      }
    }
    func ratio(_ way: Way, to other: Way, _ value: KeyPath<Figures, Double>) -> Double? {
      guard let one = runs[way], let two = runs[other] else { return nil }
      return Measurement.median(zip(one, two).map { $0[keyPath: value] / $1[keyPath: value] })
    }
    func times(_ ratio: Double?) -> String { ratio.map { String(format: "%.2f ×", $0) } ?? "–" }
    let time = ratio(.checked, to: .sanitized, \.nanoseconds)
    let memory = ratio(.checked, to: .sanitized, \.bytes)
    let off = ratio(.off, to: .plain, \.nanoseconds)
    let over = [
      time.map { $0 > line.budget } == true ? "time" : nil,
      memory.map { $0 > memoryBudget } == true ? "memory" : nil,
      off.map { $0 > offBudget } == true ? "off" : nil,
    ].compactMap(\.self)
    let megabytes = [Way.plain, .checked, .sanitized].map { way in
      runs[way].map { String(format: "%.0f", Measurement.median($0.map(\.bytes)) / 1e6) } ?? "–"
    }
    return row(
      line.name, times(time), String(format: "%.1f", line.budget),
      [Way.checked, .sanitized, .off].map { times(ratio($0, to: .plain, \.nanoseconds)) },
      megabytes, over.isEmpty ? "" : "OVER: " + over.joined(separator: ", "))
  }

  private static func row(
    _ name: String, _ ratio: String, _ budget: String, _ times: [String], _ megabytes: [String],
    _ note: String
  ) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let line =
      "  " + name.padding(toLength: 24, withPad: " ", startingAt: 0) + right(ratio, 8)
      + right(budget, 6) + "  " + times.map { right($0, 10) }.joined() + "  "
      + megabytes.map { right($0, 8) }.joined() + "  " + note
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  private static func build(
    in folder: URL, _ name: String, _ options: [String]
  ) throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../YardstickMemory/YardstickMemory.swift").standardized.path
    let program = folder.appendingPathComponent(name).path
    #if DEBUG
    let level = "-Onone"
    #else
    let level = "-O"
    #endif
    let run = try Yardstick.outside(
      ["swiftc", level, "-parse-as-library", source, "-o", program] + options)
    guard run.code == 0 else {
      throw Yardstick.Failure(description: "'\(source)' could not be compiled: \(run.text)")
    }
    return program
  }

  private static func figures(of command: [String]) throws -> Figures {
    let run = try Yardstick.outside(command)
    let numbers = run.text.split(separator: "\n").lazy.map { line in
      line.split(separator: "\t").compactMap { Double($0) }
    }.first { $0.count == 2 }
    guard run.code == 0, let numbers else {
      throw Yardstick.Failure(
        description:
          "'\(command.joined(separator: " "))' could not be run (exit code \(run.code))")
    }
    return Figures(nanoseconds: numbers[0], bytes: numbers[1])
  }
}
