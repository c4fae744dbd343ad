import Findings

extension Recipe {
  /// The keys of `recipe`.
  static let keys = ["id", "system", "design", "bug", "asShipped", "repaired"]

  /// Parses `recipe`, and records the lines that name its subjects.
  init(parsing value: ScenarioValue, lines: inout [String: Int]) throws(ScenarioError) {
    let object = try value.asObject(keys: Self.keys)
    func subject(_ value: ScenarioValue) throws(ScenarioError) -> String {
      let name = try value.asName()
      lines[name] = value.json.line
      return name
    }
    self.init(
      id: try object.required("id").asLine(limit: 20),
      system: try object.required("system").asLine(limit: 40),
      design: try object.required("design").asLine(limit: 80),
      bug: try object.required("bug").asLine(limit: 100),
      asShipped: try subject(object.required("asShipped")), repaired: nil)
    if let given = object["repaired"] { repaired = try subject(given) }
  }
}
