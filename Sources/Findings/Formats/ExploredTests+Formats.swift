extension ExploredTests {
  /// The counts as properties of a JUnit suite; empty if there is no test case.
  var properties: [(name: String, value: String)] {
    guard let summary else { return [] }
    let numbers = counts.map { entry in
      let reason = entry.reason.map { ": \($0)" } ?? ""
      return (name: "explore.\(entry.result.rawValue)\(reason)", value: "\(entry.count)")
    }
    return [("explore", summary), ("explore.cases", "\(cases.count)")] + numbers
  }

  /// The counts, and the tests that ran once, as members of a SARIF invocation; empty if there is
  /// no test case.
  var invocationMembers: [JSONValue.Member] {
    guard let summary else { return [] }
    let numbers = counts.filter { $0.result != .once }.map { entry in
      JSONValue.Member(key: entry.result.rawValue, value: .number(entry.count))
    }
    let once = cases.filter { $0.result == .once }.map { tested in
      JSONValue.object([
        "test": .string(tested.test), "place": .string(tested.place),
        "reason": .optional(tested.reason.map { .string($0) }),
      ])
    }
    let cases = JSONValue.Member(key: "cases", value: .number(cases.count))
    let list = JSONValue.Member(key: "once", value: .array(once))
    let counts = JSONValue(.object([cases] + numbers + [list]))
    let note = JSONValue.object([
      "level": .string("note"),
      "descriptor": .object(["id": .string("explored-tests")]),
      "message": .object(["text": .string("explore: \(summary)")]),
    ])
    return [
      JSONValue.Member(key: "toolExecutionNotifications", value: .array([note])),
      JSONValue.Member(key: "properties", value: .object(["explore": counts])),
    ]
  }
}
