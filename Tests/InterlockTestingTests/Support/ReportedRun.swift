import Foundation
import Testing

/// The SARIF report of a failing run of `Tests/WatchedTests`.
struct ReportedRun {
  /// A finding of the report.
  struct Result: Equatable {
    var rule: String
    /// `File.swift:12`
    var place: String
  }

  var results: [Result]
  /// The number of steps of each thread in the schedule of each result.
  var flows: [[String: Int]]
  var run: WatchedRun

  /// Runs the tests that a filter selects.
  init(_ filter: String, of program: String = "WatchedTests") throws {
    let path = NSTemporaryDirectory() + "watched-\(UUID().uuidString).sarif"
    defer { try? FileManager.default.removeItem(atPath: path) }
    run = try WatchedRun(
      "swift-testing", filter, of: program,
      environment: ["INTERLOCK_OPTIONS": "report=sarif:\(path)"])
    #expect(run.status == 1, "\(run.output)")
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let sarif = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let runs = try #require(sarif["runs"] as? [[String: Any]])
    let found = try #require(runs.first?["results"] as? [[String: Any]])
    results = found.map(Self.result)
    flows = found.map(Self.flow)
  }

  private static func flow(_ result: [String: Any]) -> [String: Int] {
    let flows = result["codeFlows"] as? [[String: Any]]
    let threads = flows?.first?["threadFlows"] as? [[String: Any]] ?? []
    let steps = threads.map { ($0["id"] as? String ?? "", ($0["locations"] as? [Any])?.count ?? 0) }
    return Dictionary(steps) { $0 + $1 }
  }

  private static func result(_ result: [String: Any]) -> Result {
    let locations = result["locations"] as? [[String: Any]]
    let place = locations?.first?["physicalLocation"] as? [String: Any]
    let file = (place?["artifactLocation"] as? [String: Any])?["uri"] as? String ?? ""
    let line = (place?["region"] as? [String: Any])?["startLine"] as? Int ?? 0
    let name = file.split(separator: "/").last ?? ""
    return Result(rule: result["ruleId"] as? String ?? "", place: "\(name):\(line)")
  }
}
