import Findings
import Foundation
import Interlock
import StressRunner

/// Parses a command line. It prints nothing and does not exit.
///
/// The conventions are those of swift-argument-parser: `--name value` and `--name=value`, `-j4` and
/// `-j 4`, clusters of short options, options and arguments in any order, and only arguments after
/// `--`. The command comes first; the default is `run`.
///
/// - Parameters:
///   - arguments: The arguments after the executable's name.
///   - environment: The environment variables; an option overrides them.
/// - Returns: The parsed command.
/// - Throws: The first error.
package func parseArguments(
  _ arguments: [String], environment: [String: String]
) throws(UsageError) -> Invocation {
  let named = arguments.first.flatMap(CommandName.init(rawValue:))
  var parser = ArgumentParser(
    command: named ?? .run, isNamed: named != nil,
    rest: arguments.dropFirst(named == nil ? 0 : 1))
  if !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb" {
    parser.options.color = .never
  }
  let unasked = ServiceReports { environment[$0] }
  parser.options.outputFormats = unasked.outputFormats
  parser.options.unaskedFiles = unasked.files
  return try parser.parse()
}

private struct ArgumentParser {
  let command: CommandName
  let isNamed: Bool
  var rest: ArraySlice<String>
  var options = Options()
  private var positional: [String] = []
  private var answer: Invocation?

  init(command: CommandName, isNamed: Bool, rest: ArraySlice<String>) {
    self.command = command
    self.isNamed = isNamed
    self.rest = rest
  }

  mutating func parse() throws(UsageError) -> Invocation {
    while let argument = rest.popFirst() {
      if argument == "--" {
        switch command {
        case .gate: options.gate.unread = Array(rest)
        case .hunt: options.hunt.words = Array(rest)
        default: positional += rest
        }
        break
      } else if argument.hasPrefix("--") {
        try long(argument.dropFirst(2))
      } else if argument.hasPrefix("-"), argument != "-" {
        try cluster(argument.dropFirst())
      } else {
        positional.append(argument)
      }
      if let answer { return answer }
    }
    return try invocation()
  }

  private mutating func long(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let known = command.options
    guard let option = known.first(where: { $0.name == name }) else {
      throw unknown("--" + name, nearest(to: name, among: known.map(\.name)))
    }
    let value = parts.count > 1 ? String(parts[1]) : nil
    if let value, option.placeholder == nil {
      throw mistake("The option '\(option.label)' takes no value, found '\(printable(value))'")
    }
    try apply(option, attached: value)
  }

  /// `-v`, `-vh`, `-j4`, `-j 4`, `-vj4`
  private mutating func cluster(_ text: Substring) throws(UsageError) {
    var text = text
    while let character = text.popFirst() {
      let known = command.options
      guard let option = known.first(where: { $0.short == character }) else {
        // `-seed` is a long option with a missing hyphen.
        throw unknown("-\(character)", known.map(\.name).first { $0 == "\(character)\(text)" })
      }
      if option.placeholder != nil, !text.isEmpty {
        return try apply(option, attached: String(text.first == "=" ? text.dropFirst() : text))
      }
      try apply(option, attached: nil)
      if answer != nil { return }
    }
  }

  private mutating func apply(_ option: Option<Options>, attached: String?) throws(UsageError) {
    let value = option.placeholder == nil ? nil : attached ?? nextValue()
    if value == nil, option.placeholder != nil {
      throw mistake("Missing value for '\(option.label)'")
    }
    guard option.read(value ?? "", &options) else {
      throw mistake(
        "The value '\(printable(value ?? ""))' is invalid for '\(option.label)': expected"
          + " \(option.expected)")
    }
    switch options.question {
    case .help: answer = .help(isNamed && command != .help ? command : nil)
    case .version: answer = .version
    case nil: break
    }
    if command == .gate, !CommandName.gateOwn.contains(option.name) { pass(option, value) }
    guard option.replay != .leavesOut else { return }
    // The last occurrence counts, unless the occurrences add up.
    options.repeated.removeAll {
      $0.name == option.name && (option.replay != .repeatsEach || $0.value == value)
    }
    options.repeated.append(
      RepeatedOption(
        name: option.name, value: value, isForSearch: option.replay == .repeatsForSearch))
  }

  /// Stores an option for the executable that `gate` starts. A file's path is resolved in this
  /// process.
  private mutating func pass(_ option: Option<Options>, _ value: String?) {
    options.gate.words.append("--" + option.name)
    guard let value else { return }
    let isFile = option.placeholder == "file" && value != "-" && !value.hasPrefix("/")
    options.gate.words.append(
      isFile ? FileManager.default.currentDirectoryPath + "/" + value : value)
  }

  /// The next argument, unless it is an option. Negative numbers and a lone hyphen are values.
  private mutating func nextValue() -> String? {
    guard let next = rest.first else { return nil }
    let isOption = next.hasPrefix("-") && next != "-" && Double(next) == nil
    return isOption ? nil : rest.popFirst()
  }

  private func invocation() throws(UsageError) -> Invocation {
    switch command {
    case .run:
      return .run(scenarios: positional, options)
    case .explore:
      return .explore(scenarios: positional, options)
    case .hunt:
      return .hunt(filters: positional, options)
    case .pool:
      return .pool(scenarios: positional, options)
    case .deadlocks:
      return .deadlocks(scenarios: positional, options)
    case .gate:
      return .gate(scenarios: positional, options)
    case .compare:
      return .compare(scenarios: positional, options)
    case .bench:
      return .bench(positional)
    case .list:
      return .list(texts: positional, options)
    case .recipes:
      try refuseArguments()
      return .recipes(options)
    case .merge:
      return .merge(records: positional, options)
    case .doctor:
      try refuseArguments()
      return .doctor(options)
    case .explain:
      return .explain(positional)
    case .initialize:
      try refuseArguments()
      return .initialize(options)
    case .help:
      guard let name = positional.first else { return .help(nil) }
      guard positional.count == 1, let command = CommandName(rawValue: name) else {
        let names = CommandName.allCases.map(\.rawValue)
        throw UsageError(
          "There is no command '\(printable(name))'", Suggestion(for: name, among: names), command)
      }
      return .help(command)
    }
  }

  private func refuseArguments() throws(UsageError) {
    guard let extra = positional.first else { return }
    throw mistake("Unexpected argument '\(printable(extra))': '\(command.rawValue)' takes none")
  }

  private func mistake(_ message: String) -> UsageError { UsageError(message, command) }

  private func unknown(_ option: String, _ near: String?) -> UsageError {
    UsageError(
      "Unknown option '\(printable(option))'" + (near.map { ". Did you mean '--\($0)'?" } ?? ""),
      command, isQuestion: near != nil)
  }
}
