import Foundation

/// Powers of ten, for the axes of charts.
enum Decade {
  /// The decimal logarithm.
  static func of(_ value: Double) -> Double { log10(value) }

  /// The largest power of ten that is at most `value`.
  static func below(_ value: Double) -> Double { pow(10, floor(log10(value))) }

  /// The smallest power of ten that is at least `value`.
  static func above(_ value: Double) -> Double { pow(10, ceil(log10(value))) }

  /// The ticks of an axis: at powers of ten, or at four to eight steps of 1, 2 or 5 of them.
  static func ticks(_ low: Double, _ high: Double, isLogarithmic: Bool) -> [Double] {
    guard high > low else { return [low] }
    if isLogarithmic {
      var ticks = [low]
      while let last = ticks.last, last < high * 0.99 { ticks.append(last * 10) }
      return ticks
    }
    var step = below((high - low) / 4)
    for factor in [5.0, 2] where (high - low) / (step * factor) >= 3 {
      step *= factor
      break
    }
    return stride(from: low, through: high, by: step).map { $0 }
  }
}
