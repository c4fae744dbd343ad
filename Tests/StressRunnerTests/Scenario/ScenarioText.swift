@testable import StressRunner

/// Texts of scenario files, and the results of parsing them.
enum ScenarioText {
  /// A valid scenario file, with one line that a test may replace.
  static func file(
    workload: String = "", phase: String = #"{ "callers": 2, "operations": ["get"] }"#,
    rest: String = "", name: String = "\"reads\""
  ) -> String {
    """
    {
      "name": \(name),
      "summary": "reads",
      "source": "a test",
      "workload": {
        "driver": "threads",
        \(workload)
        "phases": [
          \(phase)
        ]
      }\(rest)
    }
    """
  }

  static func parse(
    _ text: String, platform: PlatformName = .linux
  ) throws(ScenarioError) -> ScenarioFile {
    try ScenarioFile(parsing: Array(text.utf8), path: "reads.json", platform: platform)
  }

  static func message(_ text: String) -> String? {
    do throws(ScenarioError) {
      _ = try parse(text)
      return nil
    } catch {
      return error.description
    }
  }
}
