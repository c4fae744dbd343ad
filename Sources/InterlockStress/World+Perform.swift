import Findings
import StressRunner

extension World {
  /// Performs the command that the arguments state.
  ///
  /// - Parameter arguments: The arguments after the executable's name.
  /// - Returns: The process's exit code. All output has been written.
  package func perform(_ arguments: [String]) -> ExitCode {
    do {
      let invocation = try parseArguments(arguments, environment: environment)
      let code = try invoke(invocation, firstArgument: arguments.first)
      // A closed pipe is the reader's choice, but a full disk is an error.
      if output.failure != nil {
        errors.write("error: standard output could not be written: \(output.failure ?? "")\n")
        return .ourFault
      }
      return code
    } catch let error as UsageError {
      errors.write(error.text(command: command))
      return error.code
    } catch let error as ScenarioErrors {
      errors.write(error.errors.map { "error: \($0)\n" }.joined())
      return .badScenario
    } catch let error as RunnerFault {
      errors.write("error: the run cannot continue: \(error.reason)\n")
      return .ourFault
    } catch {
      errors.write("error: a fault of Interlock's own, please report it: \(error)\n")
      return .ourFault
    }
  }

  /// Checks that `INTERLOCK_OPTIONS` has no errors, which are printed as the process starts.
  func checkOptions(of command: CommandName) throws(UsageError) {
    guard !optionErrors.isEmpty else { return }
    throw UsageError("INTERLOCK_OPTIONS has errors (see above)", command)
  }

  private func invoke(_ invocation: Invocation, firstArgument: String?) throws -> ExitCode {
    switch invocation {
    case .run(let scenarios, let options):
      return try RunCommand(world: self, options: options, .run)
        .perform(scenarios, firstArgument: firstArgument)
    case .explore(let scenarios, let options):
      return try RunCommand(world: self, options: options, .explore)
        .perform(scenarios, firstArgument: firstArgument)
    case .list(let texts, let options):
      output.write(try listText(texts, options))
    case .recipes(let options):
      output.write(try recipesText(options))
    case .pool(let scenarios, let options):
      return try PoolCommand(world: self, options: options)
        .perform(scenarios, firstArgument: firstArgument)
    case .deadlocks(let scenarios, let options):
      return try DeadlocksCommand(world: self, options: options)
        .perform(scenarios, firstArgument: firstArgument)
    case .hunt(let filters, let options):
      return try HuntCommand(world: self, options: options).perform(filters)
    case .gate(let scenarios, let options):
      return try GateCommand(world: self, options: options)
        .perform(scenarios, firstArgument: firstArgument)
    case .compare(let scenarios, let options):
      return try CompareCommand(world: self, options: options).perform(scenarios)
    case .bench(let names):
      try runBenches(names)
    case .merge(let records, let options):
      return try MergeCommand(world: self, options: options).perform(records)
    case .explain(let kinds):
      output.write(try explainText(kinds))
    case .doctor(let options):
      return doctor(options)
    case .initialize(let options):
      return try InitCommand(world: self, options: options).perform()
    case .help(let command):
      output.write(helpText(command, width: output.width ?? 80))
    case .version:
      output.write("interlock \(Self.version)\n")
    }
    return .met
  }

  private func runBenches(_ names: [String]) throws {
    let known = benches.map(\.name)
    if known.isEmpty {
      throw UsageError("There is nothing to measure: this executable lists no bench", .bench)
    }
    for name in names where !known.contains(name) {
      throw UsageError(
        "There is no bench '\(printable(name))'", Suggestion(for: name, among: known), .bench)
    }
    for bench in benches where names.isEmpty || names.contains(bench.name) { try bench.run() }
  }
}
