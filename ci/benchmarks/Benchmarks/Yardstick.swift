import Foundation
import InterlockStress

/// The cost of marks for users: pairs of marks in a program that links `Interlock` alone, relative
/// to a lock's pairs in a program that links nothing of this package. Both programs are beside this
/// executable.
struct Yardstick {
  /// A kind of mark.
  struct Row {
    /// The kind of mark.
    var name: String
    /// The nanoseconds of a pair.
    var nanoseconds: Double
    /// The median of a pair's time relative to a lock's pair in the runs before and after.
    var ratio: Double
  }

  /// Why the measurement failed.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The nanoseconds of an uncontended `NSLock` pair.
  let lock: Double
  /// The marks, in the order in which they are printed.
  let rows: [Row]

  /// Runs both programs in turn, `runs` times, so that a change of the machine's speed affects
  /// both.
  init(runs: Int = 9) throws {
    var locks = [try Self.run("YardstickLocks")]
    var marks: [[(name: String, nanoseconds: Double)]] = []
    for _ in 0..<runs {
      marks.append(try Self.run("YardstickMarks"))
      locks.append(try Self.run("YardstickLocks"))
    }
    let pairs = locks.map { $0[0].nanoseconds }
    lock = Measurement.median(pairs)
    rows = marks[0].indices.map { row in
      Row(
        name: marks[0][row].name,
        nanoseconds: Measurement.median(marks.map { $0[row].nanoseconds }),
        ratio: Measurement.median(
          marks.indices.map { marks[$0][row].nanoseconds * 2 / (pairs[$0] + pairs[$0 + 1]) }))
    }
  }

  /// The lines that a program prints: a name, a tab, a number.
  private static func run(_ name: String) throws -> [(name: String, nanoseconds: Double)] {
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let program = own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name).path
    let run = try outside([program])
    let lines = run.text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t")
      return parts.count == 2
        ? Double(parts[1]).map { (name: String(parts[0]), nanoseconds: $0) } : nil
    }
    guard run.code == 0, !lines.isEmpty else {
      throw Failure(
        description:
          "'\(program)' could not be run (exit code \(run.code)): build it as this executable was"
          + " built, with '--product \(name)'")
    }
    return lines
  }

  /// Runs a program without the options of this process.
  static func outside(_ command: [String]) throws -> (code: Int32, text: String) {
    let options = ["TSAN_OPTIONS", "INTERLOCK_OPTIONS"].flatMap { ["-u", $0] }
    let run = try Subprocess.run(options + command, in: FileManager.default.currentDirectoryPath)
    return (run.code, String(decoding: run.output, as: UTF8.self) + run.errors)
  }
}
