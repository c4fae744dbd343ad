import Foundation
import Testing

extension SyncEvents {
  /// The options of `INTERLOCK_OPTIONS` in a process that links the watchdog.
  @Suite("Environment options")
  struct EnvironmentOptionsTests {
    @Test("The article's tables of environment options are what the products declare")
    func tables() throws {
      let child = try ChildRun("option-tables", options: nil, quiet: false)
      var tables = child.output.components(separatedBy: "\n\n")
      let elsewhere = tables.removeLast().split(whereSeparator: \.isWhitespace)
      let article = try String(
        contentsOf: URL(fileURLWithPath: #filePath)
          .appendingPathComponent(
            "../../../../Sources/InterlockWatchdog/InterlockWatchdog.docc/EnvironmentOptions.md"
          ).standardized, encoding: .utf8)
      let documented = article.components(separatedBy: "\n\n").filter {
        $0.hasPrefix("| option |")
      }
      #expect(tables.count == 4)
      #expect(documented.sorted() == tables.sorted())
      let watchdogs = tables.first { $0.contains("`hang_limit`") }?.split(separator: "\n")
        .dropFirst(2).compactMap { $0.split(separator: "`").dropFirst().first }
      let ofMemory: [Substring] = ["memory", "baseline"]
      #expect(
        watchdogs.map { $0 + ofMemory } == elsewhere,
        "a process without these products knows other names")
    }

    @Test(
      "A value that an option of the watchdog cannot take is one line",
      arguments: [
        (
          "hang_limit=0.01",
          "'hang_limit' must be a number of seconds from 0.1 to 86400, found '0.01'"
        ),
        ("predict=yes", "'predict' must be on or off, found 'yes'"),
        ("predict=on fail_on=race", "'fail_on' must be potential, found 'race'"),
        ("fail_on=potential", "'fail_on' does nothing without 'predict=on'"),
        (
          "predict=on hold_limit=0",
          "'hold_limit' must be a number of seconds from 0.001 to 86400, found '0'"
        ),
        ("hold_limit=1", "'hold_limit' does nothing without 'predict=on'"),
      ])
    func mistakes(_ options: String, _ message: String) throws {
      let child = try ChildRun("ends", options: options)
      #expect(child.status == 0)
      #expect(child.words == ["done"])
      #expect(child.errors == "interlock: INTERLOCK_OPTIONS: \(message)\n")
    }
  }
}
