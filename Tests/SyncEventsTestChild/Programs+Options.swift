import Interlock

extension Programs {
  /// Prints a table in Markdown for each declaration of options of `INTERLOCK_OPTIONS`: of this
  /// process, and of products that it does not link.
  static func printOptionTables() {
    let declared: [any EnvironmentOptions.Type] = OptionVariable.ofThisProcess.values.map {
      type(of: $0)
    }
    for options in declared { printTable(options) }
    for (options, _) in OptionVariable.ofOtherProducts
    where !declared.contains(where: { $0 == options }) {
      printTable(options)
    }
  }

  private static func printTable(_ options: any EnvironmentOptions.Type) {
    print("| option | meaning | default |\n|---|---|---|")
    func rows<Values: EnvironmentOptions>(of _: Values.Type) {
      for option in Values.options {
        let choices = option.choices.map { " (values: \($0))" } ?? ""
        print("| `\(option.name)` | \(option.meaning)\(choices) | \(option.defaultText ?? "") |")
      }
    }
    rows(of: options)
    print("")
  }
}
