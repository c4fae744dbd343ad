import Comparison
import StressRunner

extension OptionSpec {
  /// The options of `compare`, in the order of its help text.
  static let compare: [OptionSpec] = [
    OptionSpec(
      name: "subject",
      help: "Compare this strategy or cache; may be given several times. (default: every strategy)",
      action: .setValue(placeholder: "name") { $1.subjects.append($0) }),
    OptionSpec(
      name: "caches",
      help: "Compare every memory cache instead of every lock strategy.",
      action: .set { $0.compare.caches = true }),
    OptionSpec(
      name: "threads",
      help: "How many callers, each 1 to 256. (default: 1,2,4,8,16)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.threads = try list($0) { try whole($0, in: Grid.threadRange) }
      }),
    OptionSpec(
      name: "reads",
      help: "How many calls of a hundred read, each 0 to 100. (default: 0,50,90,99,100)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.reads = try list($0) { text in
          try whole(text.hasSuffix("%") ? String(text.dropLast()) : text, in: 0...100)
        }
      }),
    OptionSpec(
      name: "section",
      help: "How long a call is inside, each 0 to 10ms: 100ns, 10us. (default: 100ns,0,1us,10us)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.sections = try list($0) { try duration($0) }
      }),
    OptionSpec(
      name: "keys",
      help: "How many keys, each 1 to 1000000. (default: 1000,1)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.keys = try list($0) { try whole($0, in: 1...1_000_000) }
      }),
    OptionSpec(
      name: "distribution",
      help: "How keys are drawn. (values: uniform, zipf; default: both)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.distributions = try list($0) {
          try oneOf([Workload.Distribution.uniform, .zipf], $0)
        }
      }),
    OptionSpec(
      name: "driver",
      help: "What runs the callers. (values: threads, dispatch-queue, tasks; default: all)",
      action: .setValue(placeholder: "list") {
        $1.compare.axes.drivers = try list($0) {
          try oneOf([Workload.Driver.threads, .dispatchQueue, .tasks], $0)
        }
      }),
    OptionSpec(
      name: "full",
      help: "Measure every combination of these. (default: threads × reads, and each other value by"
        + " itself)",
      action: .set { $0.compare.isFull = true }),
    OptionSpec(
      name: "quick",
      help: "Measure few workloads, within 40 seconds.",
      action: .set { $0.compare.isQuick = true }),
    OptionSpec(
      name: "rounds",
      help: "How often each workload is measured, 6 to 1000. (default: as the time allows)",
      action: .setValue(placeholder: "n") {
        $1.compare.rounds = try whole($0, in: Interval.fewestValues...1000)
      }),
    OptionSpec(
      name: "time",
      help: "How long all rounds take together, 0.1 to 86400. (default: 225; with --quick 28)",
      action: .setValue(placeholder: "seconds") {
        $1.compare.seconds = try number($0, in: 0.1...86_400, "a number of seconds")
      }),
    OptionSpec(
      name: "rate",
      help:
        "Call so often in all, 1 to 10000000, however long a call takes: latencies count from when"
        + " a call was due. (default: as fast as can be)",
      action: .setValue(placeholder: "calls/s") {
        $1.compare.rate = try number($0, in: 1...10_000_000, "a number of calls a second")
      }),
    OptionSpec(
      name: "difference",
      help: "Say where a difference of this size could not be seen, 0.1% to 100%. (default: 5%)",
      action: .setValue(placeholder: "percent") {
        $1.compare.difference = try percent($0, in: 0.1...100)
      }),
    OptionSpec(
      name: "reference",
      help: "The strategy that others are compared with. (default: nslock, or else the first)",
      action: .setValue(placeholder: "name") {
        $1.compare.reference = $0
        $1.compare.isReferenceGiven = true
      }),
    OptionSpec(
      name: "baseline",
      help: "Compare with this earlier JSON file, by ratios to the reference.",
      action: .setValue(placeholder: "file") { $1.compare.baseline = try filePath($0) }),
    OptionSpec(
      name: "max-regression",
      help: "End with 1 where a strategy got slower by more, as certain as the interval is, 0% to"
        + " 1000%. (default: 10%)",
      action: .setValue(placeholder: "percent") {
        $1.compare.maxRegression = try percent($0, in: 0...1000)
      }),
    OptionSpec(
      name: "seed",
      help: "What calls, keys and the order of rounds follow from. (default: 1)",
      action: .setValue(placeholder: "n") { $1.seed = try seed($0) }),
    OptionSpec(
      name: "json",
      help:
        "Write every round's figures to this file; '-' is standard output, and the text then goes"
        + " to standard error.",
      action: .setValue(placeholder: "file") { $1.jsonFile = try path($0) }),
    OptionSpec(
      name: "html",
      help: "Write the comparison to this file as a page with charts.",
      action: .setValue(placeholder: "file") { $1.htmlFile = try filePath($0) }),
    OptionSpec(
      name: "allow-debug",
      help: "Measure a debug build too, whose figures are not those of the code that ships.",
      action: .set { $0.compare.allowsDebug = true }),
    OptionSpec(
      name: "verbose", short: "v",
      help: "Show the ranking of every workload.", action: .set { $0.isVerbose = true }),
  ]

  /// An option of `compare` alone, which runs no trial that could be replayed.
  private init(name: String, short: Character? = nil, help: String, action: Action) {
    self.init(
      name: name, short: short, commands: [.compare], replay: .leavesOut, help: help,
      action: action)
  }

  /// Values between commas, each once.
  private static func list<Value: Hashable>(
    _ text: String, _ value: (String) throws -> Value
  ) throws -> [Value] {
    var seen: Set<Value> = []
    return try text.split(separator: ",", omittingEmptySubsequences: false)
      .map { try value(String($0)) }.filter { seen.insert($0).inserted }
  }

  private static func oneOf<Value: RawRepresentable<String>>(
    _ values: [Value], _ text: String
  ) throws -> Value {
    guard let value = values.first(where: { $0.rawValue == text }) else {
      throw InvalidValue(expected: "one of " + values.map(\.rawValue).joined(separator: ", "))
    }
    return value
  }

  /// `0`, `250ns`, `1us`, `1µs`, `2ms`
  private static func duration(_ text: String) throws -> Int {
    let expected = "0 or a duration up to 10ms, such as 100ns or 10us"
    if text == "0" { return 0 }
    for (unit, size) in [("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000)]
    where text.hasSuffix(unit) {
      guard let value = Int(text.dropLast(unit.count)), (0...10_000_000).contains(value),
        value * size <= 10_000_000
      else { throw InvalidValue(expected: expected) }
      return value * size
    }
    throw InvalidValue(expected: expected)
  }

  private static func number(
    _ text: String, in range: ClosedRange<Double>, _ what: String
  ) throws -> Double {
    guard let value = Double(text), range.contains(value) else {
      throw InvalidValue(
        expected: "\(what) from \(shortText(range.lowerBound)) to \(shortText(range.upperBound))")
    }
    return value
  }

  /// `5%` or `5`, as a part of one.
  private static func percent(_ text: String, in range: ClosedRange<Double>) throws -> Double {
    guard let value = Double(text.hasSuffix("%") ? String(text.dropLast()) : text),
      range.contains(value)
    else {
      throw InvalidValue(
        expected: "a percentage from \(shortText(range.lowerBound))% to"
          + " \(shortText(range.upperBound))%")
    }
    return value / 100
  }

  private static func shortText(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}
