import Programs

extension Exam {
  /// A Markdown table of the programs: a row for each program, and one for its twin.
  var table: String {
    let rows = programs.flatMap(\.both).map { program in
      "| `\(program.name)` | \(program.summary.replacing("|", with: "\\|")) |"
        + " \(Self.finding(program.expected)) |\n"
    }
    return "| program | what it does | what is found |\n|---|---|---|\n" + rows.joined()
  }

  /// A finding in a few words; empty for none.
  private static func finding(_ expected: Expected) -> String {
    switch expected {
    case .passes, .passesInEveryOrder: ""
    case .hangs(let cause, trapsOnLinux: false): "deadlock: `\(cause.rawValue)`"
    case .hangs(let cause, trapsOnLinux: true): "deadlock: `\(cause.rawValue)`; on Linux a trap"
    case .traps: "crash: `self`"
    case .races: "`race`"
    case .potential(let faults):
      faults.map { "predicted: `\($0.rawValue)`" }.sorted().joined(separator: ", ")
    case .failsInSomeOrder(let failure): "`\(failure.rawValue)` in some order"
    }
  }
}
