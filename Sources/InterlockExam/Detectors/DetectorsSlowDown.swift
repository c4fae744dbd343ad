import CInterlockAnalysis
import SamplePrograms
import Foundation
import Interlock
import InterlockStress
import Prediction

/// The slow-down of a dictionary under an NSLock by each detector, relative to the same program
/// without any detector.
enum DetectorsSlowDown {
  /// Rounds of Interlock's detectors, which take a fraction of a second each.
  private static let rounds = 15
  private static let outsideRounds = 7
  private static let calls = 2_000_000
  /// Calls of a marked program, which starts anew in each round. The budget does not limit the
  /// first delays of a process; with this many calls they are a small part of the time.
  private static let markedCalls = 5_000_000
  /// Fewer calls under Valgrind, which is a hundred times slower.
  private static let valgrindCalls = 20_000
  #if DEBUG
  private static let build = "debug"
  #else
  private static let build = "release"
  #endif

  /// Measures and prints the lines. Prediction and the wait table then stay on in this process.
  static func run() throws {
    let environment = ProcessInfo.processInfo.environment
    guard let settings = try DetectorSettings(environment: environment) else {
      print(
        "ci/checks/detectors.sh builds what this bench needs, and calls it")
      return
    }
    guard SectionTracking.isCompiledIn else {
      throw UsageError(
        "Section tracking is not compiled in: build with --traits SectionTracking", .bench)
    }
    // The other detectors run a release build, so compare them with Interlock in one.
    let detectors =
      build == "debug"
      ? []
      : Detector.all(settings, path: environment["PATH"] ?? "").filter { $0.command != nil }
    guard !interlock_waits_started() else {
      print("no slow-down: the wait table is on already, run this bench alone")
      return
    }
    print("a dictionary of 1,024 keys under an NSLock, half of the calls write, each a section;")
    print(
      "\(build) build; medians of \(rounds) rounds, of others \(outsideRounds), against the same"
        + " program without any detector"
    )
    let outside = [1, 2].map { threads in
      (threads, outsideLines(threads: threads, settings, detectors))
    }
    // Measure in a separate program, because code that only marks sections links nothing else.
    let delays = [1, 2].map { threads in
      (0..<rounds).compactMap { _ in
        pair(settings, threads) {
          time(
            [settings.markedProgram, "--time-sections"], ["INTERLOCK_OPTIONS": "delays=on"],
            threads,
            markedCalls)
        }
      }
    }
    Predictor.start()
    let predicted = [1, 2].map { inside(threads: $0, settings) }
    // The wait table explains hangs; some users turn on both it and prediction.
    _ = interlock_waits_start()
    let withWaits = [1, 2].map { inside(threads: $0, settings) }
    for (index, (threads, lines)) in outside.enumerated() {
      print("  \(threads) thread\(threads == 1 ? "" : "s")")
      print(line("sections, delays", delays[index], budget: 1.5))
      print(line("sections, delays, prediction", predicted[index], budget: 3))
      print(line("the same, and the wait table", withWaits[index], budget: 3))
      lines.forEach { print($0) }
    }
  }

  private static func outsideLines(
    threads: Int, _ settings: DetectorSettings, _ detectors: [Detector]
  ) -> [String] {
    detectors.map { detector in
      let calls = detector.isValgrind ? valgrindCalls : calls
      let count = detector.isValgrind ? 3 : outsideRounds
      let pairs = (0..<count).compactMap { _ in
        pair(settings, threads) {
          time((detector.command ?? []) + ["--time"], detector.variables, threads, calls)
        }
      }
      return line(detector.name, pairs, budget: nil)
    }
  }

  private static func inside(
    threads: Int, _ settings: DetectorSettings
  ) -> [(watched: Double, plain: Double)] {
    let were = SectionTracking.delays
    SectionTracking.delays = true
    defer { SectionTracking.delays = were }
    let table = GuardedTable()
    return (0..<rounds).compactMap { _ in
      pair(settings, threads) { table.nanosecondsOfCall(threads: threads, turns: calls) }
    }
  }

  /// One round: the time without any detector, and the time with one.
  private static func pair(
    _ settings: DetectorSettings, _ threads: Int, _ watched: () -> Double?
  ) -> (watched: Double, plain: Double)? {
    guard let plain = time([settings.program, "--time"], [:], threads, calls),
      let watched = watched()
    else { return nil }
    return (watched, plain)
  }

  /// The number that a separate process prints; `nil` if it prints none.
  private static func time(
    _ command: [String], _ variables: [String: String], _ threads: Int, _ calls: Int
  ) -> Double? {
    let run = OutsideRun(command + ["\(threads)", "\(calls)"], variables: variables)
    return nanoseconds(in: run.output)
  }

  /// The first line that is a number, among the detector's output.
  static func nanoseconds(in output: String) -> Double? {
    output.split(separator: "\n").lazy.compactMap { Double($0) }.first
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// One line: the median of the rounds' ratios, which `budget` limits, and the ratio of the
  /// fastest rounds, which other load on the machine affects least.
  static func line(
    _ name: String, _ pairs: [(watched: Double, plain: Double)], budget: Double?
  ) -> String {
    let name = "    " + name.padding(toLength: 30, withPad: " ", startingAt: 0)
    guard !pairs.isEmpty else { return name + "  no figure: it did not run" }
    let ratio = median(pairs.map { $0.watched / $0.plain })
    let figures = String(
      format: "%7.2f ×   (%.0f ns a call against %.0f ns; the fastest of each %.2f ×)", ratio,
      median(pairs.map(\.watched)), median(pairs.map(\.plain)),
      (pairs.map(\.watched).min() ?? 0) / (pairs.map(\.plain).min() ?? 0))
    guard let budget else { return name + figures }
    return name + figures + String(format: "   ≤ %.1f ×", budget)
      + (ratio <= budget ? "" : "   OVER")
  }
}
