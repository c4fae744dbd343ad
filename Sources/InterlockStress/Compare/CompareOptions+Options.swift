import Comparison
import Interlock
import StressRunner

extension CommandName {
  /// The options specific to `compare`, in the order of its help text. None is repeated: `compare`
  /// runs no trial that could be replayed.
  static let compareOptions: [Option<Options>] = [
    Option(
      "subject", .text("name"), replay: .leavesOut,
      "Compare this strategy or cache; may be given several times.", default: "every strategy"
    ) { $1.subjects.append($0) },
    Option(
      flag: "caches", replay: .leavesOut,
      "Compare every memory cache instead of every lock strategy."
    ) { $0.compare.caches = true },
    Option(
      "threads", .list(of: .whole(Grid.threadRange)), \.compare.axes.threads, replay: .leavesOut,
      "The numbers of callers, each {values}.", default: "1,2,4,8,16"),
    Option(
      "reads", .list(of: percentOfCalls), \.compare.axes.reads, replay: .leavesOut,
      "The percentages of calls that read, each {values}.", default: "0,50,90,99,100"),
    Option(
      "section", .list(of: duration), \.compare.axes.sections, replay: .leavesOut,
      "The lengths of the critical section, each {values}: 100ns, 10us.",
      default: "100ns,0,1us,10us"),
    Option(
      "keys", .list(of: .whole(1...1_000_000)), \.compare.axes.keys, replay: .leavesOut,
      "The numbers of keys, each {values}.", default: "1000,1"),
    Option(
      "distribution",
      .list(of: .choice([Workload.Distribution.uniform, .zipf], placeholder: "list")),
      \.compare.axes.distributions, replay: .leavesOut, "How keys are drawn.", default: "both"),
    Option(
      "driver",
      .list(of: .choice([Workload.Driver.threads, .dispatchQueue, .tasks], placeholder: "list")),
      \.compare.axes.drivers, replay: .leavesOut, "What runs the callers.", default: "all"),
    Option(
      flag: "full", replay: .leavesOut, "Measure every combination of these lists.",
      default: "threads × reads, and each other value by itself"
    ) { $0.compare.isFull = true },
    Option(
      flag: "quick", replay: .leavesOut, "Measure fewer workloads, in at most 40 seconds.",
      default: "in a debug build, if nothing asks for more"
    ) { $0.compare.isQuick = true },
    Option(
      "rounds", .whole(Interval.fewestValues...1000), \.compare.rounds, replay: .leavesOut,
      "How often each workload is measured, {values}.", default: "as the time allows"),
    Option(
      "time", .seconds(0.1...86_400), \.compare.seconds, replay: .leavesOut,
      "How long all rounds take together, {values}.", default: "225; with --quick 28"),
    Option(
      "rate", .number("a number of calls a second", 1...10_000_000, placeholder: "calls/s"),
      \.compare.rate, replay: .leavesOut,
      "Make this many calls a second in all, {values}, at fixed times: a latency counts from the"
        + " time at which the call was due. Needs '--driver threads'.",
      default: "as fast as can be"),
    Option(
      "difference", .percent(0.1...100), \.compare.difference, replay: .leavesOut,
      "Report where a difference of this size could not have been seen, {values}."),
    Option(
      "reference", .text("name"), replay: .leavesOut,
      "The strategy that others are compared with.", default: "nslock, or else the first"
    ) {
      $1.compare.reference = $0
      $1.compare.isReferenceGiven = true
    },
    Option(
      "baseline", .file, \.compare.baseline, replay: .leavesOut,
      "Compare with this JSON file of an earlier comparison, by ratios to the reference."),
    Option(
      "max-regression", .percent(0...1000), \.compare.maxRegression, replay: .leavesOut,
      "End with 1 if a strategy's whole interval is slower than the baseline by more than this,"
        + " {values}.",
      default: "10%"),
    Option(
      "seed", .whole(0...UInt64.max), \.seed, replay: .leavesOut,
      "The seed of calls, keys and the order of rounds.", default: "1"),
    Option(
      flag: "allow-debug", replay: .leavesOut,
      "Compare with a baseline also if this build, or the baseline's, is a debug build."
    ) { $0.compare.allowsDebug = true },
    Option(
      flag: "verbose", short: "v", replay: .leavesOut, "Show the ranking of every workload."
    ) { $0.isVerbose = true },
  ]

  /// `90%` or `90`.
  private static var percentOfCalls: ValueFormat<Int> {
    var format = ValueFormat.whole(0...100)
    format.read = { [read = format.read] in read($0.hasSuffix("%") ? String($0.dropLast()) : $0) }
    return format
  }

  /// A duration in nanoseconds, given as `0`, `250ns`, `1us`, `1µs` or `2ms`.
  private static var duration: ValueFormat<Int> {
    ValueFormat(
      "list", summary: "0 to 10ms", expected: "0 or a duration up to 10ms, such as 100ns or 10us"
    ) { text in
      if text == "0" { return 0 }
      for (unit, size) in [("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000)]
      where text.hasSuffix(unit) {
        guard let value = Int(text.dropLast(unit.count)), (0...10_000_000).contains(value),
          value * size <= 10_000_000
        else { return nil }
        return value * size
      }
      return nil
    }
  }
}

extension ValueFormat {
  /// Distinct values, separated by commas.
  fileprivate static func list<Element: Hashable>(
    of element: ValueFormat<Element>
  ) -> ValueFormat where Value == [Element] {
    var format = ValueFormat("list", summary: element.summary, expected: element.expected) { text in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let values = parts.compactMap { element.read(String($0)) }
      guard values.count == parts.count else { return nil }
      var seen: Set<Element> = []
      return values.filter { seen.insert($0).inserted }
    }
    format.isChoice = element.isChoice
    return format
  }
}

extension ValueFormat<Double> {
  /// `5%` or `5`, as a fraction.
  fileprivate static func percent(_ range: ClosedRange<Double>) -> ValueFormat {
    let summary = "\(shortText(range.lowerBound))% to \(shortText(range.upperBound))%"
    let expected = "a percentage from \(summary)"
    var format = ValueFormat("percent", summary: summary, expected: expected) { text in
      guard let value = Double(text.hasSuffix("%") ? String(text.dropLast()) : text),
        range.contains(value)
      else { return nil }
      return value / 100
    }
    format.text = { shortText($0 * 100) + "%" }
    return format
  }
}
