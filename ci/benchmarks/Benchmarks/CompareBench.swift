import Comparison
import Foundation

/// The cost of `compare` itself: recording a duration, reading the clock.
enum CompareBench {
  /// The limit for recording a duration in a release build, nanoseconds.
  private static let budget = 20.0

  /// Measures and prints the lines.
  static func run() {
    // Durations over six powers of ten, in an order that a processor cannot predict.
    let durations = (0..<4096).map { index in
      1 << ((index &* 0x9E37_79B9) >> 8 & 19) + (index &* 0x85EB_CA6B) >> 4 & 1023
    }
    var histogram = LatencyHistogram()
    let measured = Measurement(
      [
        .init(name: "recording a duration") { turns in
          for turn in 0..<turns { histogram.record(durations[turn & 4095]) }
        },
        .init(name: "reading the clock") { turns in
          for _ in 0..<turns { _ = Clock.now }
        },
      ], rounds: 25, turns: 100_000)
    #if DEBUG
    let verdict = "no budget in a debug build"
    #else
    let verdict =
      String(format: "≤ %.0f ns%@", budget, measured.median(0) <= budget ? "" : "   OVER")
    #endif
    print("comparisons; medians of interleaved rounds")
    print(String(format: "  recording a duration     %6.1f ns   ", measured.median(0)) + verdict)
    print(String(format: "  reading the clock        %6.1f ns", measured.median(1)))
    print("  a histogram              \(histogram.bytes / 1024) KiB for each caller, at any time")
  }
}
