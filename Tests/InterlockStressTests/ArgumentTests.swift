import Foundation
import Interlock
import TestSupport
import Testing

@testable import InterlockStress

private func parse(
  _ arguments: [String], environment: [String: String] = [:]
) throws(UsageError) -> Invocation {
  try parseArguments(arguments, environment: environment)
}

private func options(_ arguments: String...) throws -> Options {
  guard case .run(_, let options) = try parse(arguments) else {
    Issue.record("no run")
    return Options()
  }
  return options
}

private func mistake(_ arguments: [String]) -> String? {
  do throws(UsageError) {
    _ = try parse(arguments)
    return nil
  } catch {
    return error.message
  }
}

@Suite("The command line is understood")
struct ArgumentTests {
  @Test("'run' is the default command, and runs everything by default")
  func defaultCommand() throws {
    #expect(try parse([]) == .run(scenarios: [], Options()))
    #expect(try parse(["run"]) == .run(scenarios: [], Options()))
    #expect(try parse(["reads"]) == .run(scenarios: ["reads"], Options()))
    #expect(try parse(["run", "reads", "list"]) == .run(scenarios: ["reads", "list"], Options()))
  }

  @Test("Every option sets its value, with a space and with an equals sign")
  func everyOption() throws {
    #expect(try options("--subject", "a", "--subject=b").subjects == ["a", "b"])
    #expect(try options("--repeat", "3").repeats == 3)
    #expect(try options("--seed=18446744073709551615").seed == .max)
    #expect(try options("--jobs", "4").jobs == 4)
    #expect(try options("--time-limit", "1.5").timeLimit == 1.5)
    #expect(try options("--json", "-").jsonFile == "-")
    #expect(try options("--json=out.json").jsonFile == "out.json")
    #expect(try options("--verbose").isVerbose)
    #expect(try options("--color", "always").color == .always)
    #expect(try options("--scenarios", "x").scenarioFolder == "x")
    #expect(try options("--seed", "1", "--seed", "2").seed == 2)
    #expect(try options().delays)
    #expect(try !options("--delays", "off").delays)
    #expect(try options("--delays=on", "--traps", "t").trapFile == "t")
    #expect(try options().predict == nil && !options().failsOnPotential)
    #expect(try options("--predict", "on").predict == true)
    #expect(try options("--predict=off").predict == false)
    #expect(try options("--fail-on=potential").failsOnPotential)
  }

  @Test("Short options take values and stand together")
  func shortOptions() throws {
    #expect(try options("-j4").jobs == 4)
    #expect(try options("-j", "4").jobs == 4)
    #expect(try options("-j=4").jobs == 4)
    let both = try options("-vj4")
    #expect(both.isVerbose && both.jobs == 4)
    #expect(try parse(["-vh"]) == .help(nil))
  }

  @Test("Options may precede, separate and follow arguments; '--' ends them")
  func order() throws {
    var verbose = Options()
    verbose.isVerbose = true
    #expect(try parse(["run", "a", "-v", "b"]) == .run(scenarios: ["a", "b"], verbose))
    #expect(try parse(["--", "-v", "--"]) == .run(scenarios: ["-v", "--"], Options()))
  }

  @Test("Help, version and the other commands are parsed")
  func otherCommands() throws {
    #expect(try parse(["--help"]) == .help(nil))
    #expect(try parse(["-h"]) == .help(nil))
    #expect(try parse(["help"]) == .help(nil))
    #expect(try parse(["help", "list"]) == .help(.list))
    #expect(try parse(["bench", "--help"]) == .help(.bench))
    #expect(try parse(["--version"]) == .version)
    #expect(try parse(["list", "--version"]) == .version)
    #expect(try parse(["bench", "sections"]) == .bench(["sections"]))
    #expect(try parse(["list", "x"]) == .list(texts: ["x"], Options()))
  }

  @Test("NO_COLOR and TERM=dumb turn colours off, unless an option turns them on")
  func environment() throws {
    func color(_ arguments: [String], _ environment: [String: String]) throws -> Options.Color? {
      guard case .run(_, let options) = try parse(arguments, environment: environment) else {
        return nil
      }
      return options.color
    }
    #expect(try color([], [:]) == .auto)
    #expect(try color([], ["NO_COLOR": "1"]) == .never)
    #expect(try color([], ["NO_COLOR": ""]) == .auto)
    #expect(try color([], ["TERM": "dumb"]) == .never)
    #expect(try color([], ["TERM": "xterm"]) == .auto)
    #expect(try color(["--color", "always"], ["NO_COLOR": "1"]) == .always)
  }

  @Test(
    "A mistake is named with what was expected",
    arguments: [
      (["--fliter"], "Unknown option '--fliter'"),
      (["--sbuject", "x"], "Unknown option '--sbuject'. Did you mean '--subject'?"),
      (["--verbos"], "Unknown option '--verbos'. Did you mean '--verbose'?"),
      (["-x"], "Unknown option '-x'"),
      (["-seed", "1"], "Unknown option '-s'. Did you mean '--seed'?"),
      (["list", "--seed", "1"], "Unknown option '--seed'"),
      (["--seed"], "Missing value for '--seed <n>'"),
      (
        ["--delays", "often"],
        "The value 'often' is invalid for '--delays <switch>': expected on or off"
      ),
      (["--traps="], "The value '' is invalid for '--traps <file>': expected the path of a file"),
      (
        ["--traps", "-"],
        "The value '-' is invalid for '--traps <file>': expected the path of a file"
      ),
      (["--seed", "--verbose"], "Missing value for '--seed <n>'"),
      (["-j"], "Missing value for '--jobs <n>'"),
      (["--json"], "Missing value for '--json <file>'"),
      (
        ["--seed", "ten"],
        "The value 'ten' is invalid for '--seed <n>': expected a whole number from 0 to"
          + " 18446744073709551615"
      ),
      (
        ["--seed", "-1"],
        "The value '-1' is invalid for '--seed <n>': expected a whole number from 0 to"
          + " 18446744073709551615"
      ),
      (
        ["--seed="],
        "The value '' is invalid for '--seed <n>': expected a whole number from 0 to"
          + " 18446744073709551615"
      ),
      (
        ["--jobs", "0"],
        "The value '0' is invalid for '--jobs <n>': expected a whole number from 1 to 256"
      ),
      (
        ["--repeat", "99999999999999999999"],
        "The value '99999999999999999999' is invalid for '--repeat <n>': expected a whole number"
          + " from 1 to 10000"
      ),
      (
        ["--time-limit", "nan"],
        "The value 'nan' is invalid for '--time-limit <seconds>': expected a number of seconds"
          + " from 0.1 to 3600"
      ),
      (
        ["--color", "red"],
        "The value 'red' is invalid for '--color <when>': expected one of auto, always, never"
      ),
      (["--verbose=yes"], "The option '--verbose' takes no value, found 'yes'"),
      (["--json="], "The value '' is invalid for '--json <file>': expected a path"),
      (["recipes", "x"], "Unexpected argument 'x': 'recipes' takes none"),
      (["help", "lst"], "There is no command 'lst': did you mean 'list'?"),
    ] as [([String], String)])
  func mistakes(_ arguments: [String], _ expected: String) {
    #expect(mistake(arguments) == expected)
  }
}

@Suite("The table of options")
struct OptionTableTests {
  @Test("Names of options are unique in each command, well formed and explained")
  func table() {
    for command in CommandName.allCases {
      let options = command.options
      #expect(Set(options.map(\.name)).count == options.count)
      let shorts = options.compactMap(\.short)
      #expect(Set(shorts).count == shorts.count)
    }
    for (commands, spec) in CommandName.options {
      #expect(spec.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
      #expect(spec.help.hasSuffix(".") || spec.help.hasSuffix(")"))
      #expect(!commands.isEmpty)
    }
  }

  @Test("Every option of every command is in its help, and is parsed as the help spells it")
  func roundTrip() throws {
    let world = try TestWorld().world
    let values = [
      "name": "x", "n": "3", "seconds": "2", "file": "f", "when": "never", "folder": "d",
      "switch": "off", "what": "potential", "list": "4", "tag": "x", "percent": "5%",
      "calls/s": "100", "strategy": "dfs:2", "budget": "5s", "token": "i1-0-w0-a-0",
      "i/n": "2/4",
    ]
    let valuesByName = [
      "section": "0,10us", "distribution": "zipf", "driver": "tasks", "rounds": "6",
      "fail-on": "stale", "ci": "github", "memory-model": "weak",
    ]
    for command in CommandName.allCases {
      let help = world.helpText(command, width: 80)
      for spec in command.options {
        #expect(help.contains(spec.label))
        var arguments = [command.rawValue, "--" + spec.name]
        if let placeholder = spec.placeholder {
          arguments.append(try #require(valuesByName[spec.name] ?? values[placeholder]))
        }
        #expect(mistake(arguments) == nil)
        if let short = spec.short {
          arguments[1] = "-\(short)"
          #expect(mistake(arguments) == nil)
        }
      }
    }
  }

  @Test("The help text is as in its golden file")
  func help() throws {
    let test = try TestWorld()
    test.benches = [BenchEntry(name: "sections", summary: "Begin and end against NSLock.") {}]
    expectGolden(test.world.helpText(nil, width: 80), "help.txt")
    for command in CommandName.allCases {
      expectGolden(test.world.helpText(command, width: 80), "help-\(command.rawValue).txt")
    }
  }

  @Test("The article's tables of commands, and of the options of three, are what is declared")
  func article() throws {
    let file = URL(fileURLWithPath: #filePath)
      .appendingPathComponent(
        "../../../Sources/InterlockStress/InterlockStress.docc/CommandLine.md"
      ).standardized
    var blocks = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n\n")
    let list = try #require(blocks.firstIndex { $0.hasPrefix("| command |") })
    let names =
      (["| command | what it does |", "|---|---|"]
      + CommandName.allCases.map { "| `\($0.usage)` | \($0.summary) |" }).joined(separator: "\n")
    #expect(blocks[list] == names, "the commands")
    blocks[list] = names
    let tables = blocks.indices.filter { blocks[$0].hasPrefix("| option |") }
    let commands: [CommandName] = [.run, .explore, .compare]
    try #require(tables.count == commands.count)
    for (index, command) in zip(tables, commands) {
      let rows = command.options.map { option in
        let choices = option.choices.map { " (values: \($0))" } ?? ""
        let names = (option.short.map { "`-\($0)`, " } ?? "") + "`\(option.label)`"
        return "| \(names) | \(option.meaning)\(choices) | \(option.defaultText ?? "") |"
      }
      let table = (["| option | meaning | default |", "|---|---|---|"] + rows)
        .joined(separator: "\n")
      #expect(blocks[index] == table, "the options of '\(command.rawValue)'")
      blocks[index] = table
    }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
      try blocks.joined(separator: "\n\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }

  @Test("Help fits the terminal")
  func helpWidth() throws {
    let world = try TestWorld().world
    for width in [60, 100] {
      let lines = world.helpText(.run, width: width).split(separator: "\n")
      // The first two lines, overview and usage, are not wrapped.
      for line in lines.dropFirst(2) { #expect(line.count <= width) }
    }
  }
}
