extension FindingFormat {
  /// SARIF 2.1.0: the format of code scanning services and editors.
  package static let sarif = FindingFormat(
    name: "sarif",
    summary: "Write the findings to this file as SARIF 2.1.0 when the run is over: both sides,"
      + " their stacks, the interleaving, and fingerprints that do not change with line numbers.",
    destination: .file
  ) { SARIF($0, $1).text }
}

/// The text of a SARIF log: a few lines for the run, then one line for each result.
struct SARIF {
  let text: String

  init(_ findings: [Finding], _ context: FindingFormat.Context) {
    let used = Set(findings.map(\.rule.id))
    let rules = Rule.all.filter { used.contains($0.id) }
    let numbers = Dictionary(
      uniqueKeysWithValues: rules.enumerated().map { ($0.element.id, $0.offset) })
    let driver = JSONValue.object([
      "name": .string("Interlock"),
      "version": .string(context.version),
      "rules": .array(rules.map(Self.rule)),
    ])
    let state = JSONValue.Member(key: "executionSuccessful", value: .bool(context.isComplete))
    let explored = context.explored?.invocationMembers ?? []
    let invocation = JSONWriter.line(JSONValue(.object([state] + explored)))
    var text = """
      {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
          {
            "tool": {
              "driver": \(JSONWriter.text(driver, level: 4))
            },
            "automationDetails": {"id": \(Self.quoted("interlock/\(context.activity)/"))},
            "originalUriBaseIds": {
              "\(SARIFResult.root)": {"description": {"text": "The root of the repository."}}
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [\(invocation)],
            "results": [
      """
    for (index, finding) in findings.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      let result = SARIFResult(finding, rule: numbers[finding.rule.id] ?? 0, context)
      text += "        " + JSONWriter.line(result.value)
    }
    text += (findings.isEmpty ? "]" : "\n      ]") + "\n    }\n  ]\n}\n"
    self.text = text
  }

  private static func rule(_ rule: Rule) -> JSONValue {
    .object([
      "id": .string(rule.id),
      "shortDescription": .object(["text": .string(rule.summary)]),
      "fullDescription": .object(["text": .string(rule.meaning)]),
      "help": .object([
        "text": .string("Example:\n\(rule.example)\n\nTo mend it:\n\(rule.remedy)")
      ]),
      "defaultConfiguration": .object(["level": .string(rule.level.rawValue)]),
      "properties": .object(["tags": .array([.string("concurrency")])]),
    ])
  }

  private static func quoted(_ text: String) -> String { JSONWriter.line(.string(text)) }
}
