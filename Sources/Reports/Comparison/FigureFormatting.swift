import Comparison

/// Formats a time to the second: `40 s`, `4 min 10 s`.
package func timeText(_ seconds: Double) -> String {
  let whole = Int(max(0, seconds).rounded())
  guard whole >= 60 else { return "\(whole) s" }
  return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
}

/// Formats a latency with three digits: `0`, `98 ns`, `1.25 µs`, `13.2 ms`.
package func latencyText(_ nanoseconds: Double) -> String {
  scaled(nanoseconds, [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)])
}

/// Formats a count with three digits: `9.81 M`, `312 k`, `7.00`.
func countText(_ count: Double) -> String {
  scaled(count, [("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)])
}

/// Formats a part of one: `12.5 %`.
func percentText(_ part: Double) -> String {
  guard part.isFinite else { return "?" }
  return digits(part * 100) + " %"
}

private func scaled(_ value: Double, _ units: [(name: String, size: Double)]) -> String {
  guard value.isFinite else { return "?" }
  if value == 0 { return "0" }
  // 999.6 ns rounds to 1.00 µs.
  let unit = units.first { abs(value) >= $0.size * 0.9995 } ?? units[units.count - 1]
  return digits(value / unit.size) + (unit.name.isEmpty ? "" : " " + unit.name)
}

/// Formats three digits, or more if the integer part has more.
private func digits(_ value: Double) -> String {
  for (limit, factor) in [(9.995, 100), (99.95, 10)] where abs(value) < limit {
    let shifted = Int((abs(value) * Double(factor)).rounded())
    let rest = String(shifted % factor)
    let zeros = String(repeating: "0", count: String(factor).count - 1 - rest.count)
    return (value < 0 ? "-" : "") + "\(shifted / factor).\(zeros)\(rest)"
  }
  return "\(Int(value.rounded()))"
}

/// How a strategy compares with the first one, which is the fastest only if all others are slower,
/// and may have a lower figure than one that it beats in nearly every round.
func standing(_ index: Int, in ranking: Ranking) -> String {
  if index == 0 {
    if ranking.lines.count == 1 { return "" }
    let isFastest = ranking.lines.dropFirst().allSatisfy { $0.toFirst.verdict == .slower }
    if isFastest { return "the fastest" }
    let most = ranking.lines.map(\.throughput.median).max()
    return ranking.lines[0].throughput.median == most ? "the highest figure" : "one of the fastest"
  }
  let pair = ranking.lines[index].toFirst
  switch pair.verdict {
  case .tooFewRounds: return "too few rounds"
  case .noDifferenceSeen: return "no difference seen"
  case .faster: return rangeText(pair.ratio, "faster")
  case .slower:
    let slowdown = Interval(
      median: 1 / pair.ratio.median, low: 1 / pair.ratio.high, high: 1 / pair.ratio.low)
    return rangeText(slowdown, "slower")
  }
}

/// `1.07 × slower (1.00 to 1.25)`
private func rangeText(_ factor: Interval, _ direction: String) -> String {
  "\(factorText(factor.median)) × \(direction)"
    + " (\(factorText(factor.low)) to \(factorText(factor.high)))"
}
