import Interlock

extension Programs {
  /// Prints a table in Markdown for each declaration of options of `INTERLOCK_OPTIONS`, and then
  /// the names that a process without the watchdog knows.
  static func printOptionTables() {
    for values in OptionVariable.ofThisProcess.values { printTable(type(of: values)) }
    print(OptionVariable.ofOtherProducts.flatMap(\.names).joined(separator: " "))
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
