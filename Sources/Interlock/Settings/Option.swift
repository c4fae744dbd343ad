/// One option of `INTERLOCK_OPTIONS`: its name, what heeds it, and how its value is read.
///
/// An option that is not in `all` does not exist; one that is there is listed, read, and reported
/// where nothing that is linked heeds it.
struct Option: Sendable {
  /// What heeds an option.
  struct Part: OptionSet, Sendable {
    let rawValue: Int
    /// Sections, where they are compiled in.
    static let sections = Part(rawValue: 1)
    /// The watchdog, with its prediction, where it is linked.
    static let watchdog = Part(rawValue: 2)
    static let everything: Part = [.sections, .watchdog]

    /// The parts that this process has.
    static var linked: Part {
      var linked: Part = SectionTracking.isCompiledIn ? .sections : []
      if Platform.hasWatchdog { linked.insert(.watchdog) }
      return linked
    }
  }

  let name: String
  let part: Part
  /// Takes a value; returns what is wrong with it.
  let read: @Sendable (inout Options, _ value: String) -> String?

  /// The options there are, in the order in which they are listed.
  static let all = [
    choice("on_conflict", .sections, \.onConflict),
    number("exit_code", .everything, in: 1...255, \.exitCode),
    number("stack_depth", .sections, in: 0...Record.frameLimit, \.stackDepth),
    flag("sections", .sections, \.sections),
    flag("delays", .sections, \.delays),
    number("delay_seed", .sections, in: 0...UInt64.max, \.delaySeed),
    number("delay_budget", .sections, in: 1...100, \.delayBudget),
    path("traps", .sections, \.trapFile),
    flag("exercise", .sections, \.exercise),
    flag("require_contention", .sections, \.requiresContention),
    seconds("hang_limit", .watchdog, in: "0.1", \.hangLimit),
    flag("predict", .watchdog, \.predicts),
    choice("fail_on", .watchdog, \.failOn),
    seconds("hold_limit", .watchdog, in: "0.001", \.holdLimit),
    flag("quiet", .everything, \.quiet),
  ]

  private static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ name: String, _ part: Part, _ value: any WritableKeyPath<Options, Choice?> & Sendable
  ) -> Option {
    let known = Choice.allCases.map(\.rawValue)
    let expected = (known.count > 1 ? "one of " : "") + known.joined(separator: ", ")
    return Option(name, part, expected: expected, value) { Choice(rawValue: $0) }
  }

  private static func flag(
    _ name: String, _ part: Part, _ value: any WritableKeyPath<Options, Bool?> & Sendable
  ) -> Option {
    Option(name, part, expected: "on or off", value) { ["on": true, "off": false][$0] }
  }

  private static func number<Number: FixedWidthInteger & Sendable>(
    _ name: String, _ part: Part, in range: ClosedRange<Number>,
    _ value: any WritableKeyPath<Options, Number?> & Sendable
  ) -> Option {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return Option(name, part, expected: expected, value) { text in
      Number(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func seconds(
    _ name: String, _ part: Part, in lowest: String,
    _ value: any WritableKeyPath<Options, Double?> & Sendable
  ) -> Option {
    let range = (Double(lowest) ?? 0)...86_400
    let expected = "a number of seconds from \(lowest) to 86400"
    return Option(name, part, expected: expected, value) { text in
      Double(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func path(
    _ name: String, _ part: Part, _ value: any WritableKeyPath<Options, String?> & Sendable
  ) -> Option {
    Option(name, part, expected: "the path of a file", value) { $0.isEmpty ? nil : $0 }
  }

  private init<Value>(
    _ name: String, _ part: Part, expected: String,
    _ path: any WritableKeyPath<Options, Value?> & Sendable,
    _ parse: @escaping @Sendable (String) -> Value?
  ) {
    self.name = name
    self.part = part
    read = { options, text in
      options[keyPath: path] = parse(text)
      if options[keyPath: path] != nil { return nil }
      return "'\(name)' must be \(expected), found \(text.isEmpty ? "nothing" : "'\(text)'")"
    }
  }
}
