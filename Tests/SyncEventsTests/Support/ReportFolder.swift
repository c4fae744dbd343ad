import Foundation

/// A folder that is removed with the test.
final class ReportFolder {
  let name = "interlock-report-" + UUID().uuidString
  var path: String { NSTemporaryDirectory() + name }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func write(_ text: String, _ name: String, permissions: Int = 0o644) throws {
    try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: path + "/" + name)
  }
}

/// The results of a SARIF file.
func sarifResults(_ text: String) throws -> [[String: Any]] {
  let log = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
  let run = (log?["runs"] as? [[String: Any]])?.first
  return run?["results"] as? [[String: Any]] ?? []
}
