import Foundation

/// The cost of checking accesses of memory, relative to ThreadSanitizer: one program, which
/// accesses memory, compiled without a check, with ThreadSanitizer, and with Interlock's check.
enum MemoryBench {
  /// A line of the table: `budget` is the most, relative to ThreadSanitizer.
  private struct Line {
    var name: String
    var budget: Double
  }

  private static let lines = [
    Line(name: "plain field", budget: 1.2),
    Line(name: "array element", budget: 1.2),
    Line(name: "dictionary, set and get", budget: 1.2),
    Line(name: "field under a lock", budget: 0.6),
    Line(name: "memory", budget: 1),
  ]
  private static let rounds = 7

  /// What a run of the program prints, by name.
  private typealias Figures = [String: Double]

  /// Measures and prints the table. The compiler builds the program anew in the other two ways.
  static func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("interlock-bench-memory-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let checked = own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("YardstickMemory").path
    let plain = try build(in: folder, "plain", [])
    let sanitized = try? build(in: folder, "sanitized", ["-sanitize=thread"])
    let programs = [plain, checked, sanitized].compactMap { $0 }
    // In turn, so that a change of the machine's speed affects all.
    var runs = programs.map { _ in [Figures]() }
    for _ in 0..<rounds {
      for (index, program) in programs.enumerated() { runs[index].append(try figures(of: program)) }
    }
    print("accesses of memory, \(build) build; medians of \(rounds) interleaved runs")
    if sanitized == nil { print("without ThreadSanitizer: its runtime could not be linked") }
    for line in lines { print(text(of: line, runs)) }
  }

  #if DEBUG
  private static let build = "debug"
  #else
  private static let build = "release"
  #endif

  private static func text(of line: Line, _ runs: [[Figures]]) -> String {
    let values = runs.map { Measurement.median($0.compactMap { $0[line.name] }) }
    let isMemory = line.name == "memory"
    let text = values.map {
      isMemory ? String(format: "%.0f MB", $0 / 1e6) : String(format: "%.1f ns", $0)
    }
    let name = "  " + line.name.padding(toLength: 28, withPad: " ", startingAt: 0)
    guard values.count == 3 else { return name + "\(text[1]), \(text[0]) without a check" }
    let ratio = Measurement.median(
      zip(runs[1], runs[2]).compactMap { own, other in
        guard let one = own[line.name], let two = other[line.name] else { return nil }
        return one / two
      })
    return name + String(format: "%6.2f ×   (≤ %.1f × of ThreadSanitizer; ", ratio, line.budget)
      + "\(text[1]) against \(text[2]), \(text[0]) without a check)"
      + (ratio <= line.budget ? "" : "   OVER")
  }

  private static func build(
    in folder: URL, _ name: String, _ options: [String]
  ) throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../YardstickMemory/YardstickMemory.swift").standardized.path
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

  private static func figures(of program: String) throws -> Figures {
    let run = try Yardstick.outside([program])
    let pairs = run.text.split(separator: "\n").compactMap { line -> (String, Double)? in
      let parts = line.split(separator: "\t")
      guard parts.count == 2, let value = Double(parts[1]) else { return nil }
      return (String(parts[0]), value)
    }
    guard run.code == 0, pairs.count == lines.count else {
      throw Yardstick.Failure(
        description: "'\(program)' could not be run (exit code \(run.code))")
    }
    return Figures(pairs) { first, _ in first }
  }
}
