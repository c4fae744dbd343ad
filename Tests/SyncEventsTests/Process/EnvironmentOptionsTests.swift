import Foundation
import Testing

extension SyncEvents {
  /// The options of `INTERLOCK_OPTIONS` in a process that links the watchdog.
  @Suite("Environment options")
  struct EnvironmentOptionsTests {
    @Test("The article's tables of environment options are what the products declare")
    func tables() throws {
      let child = try ChildRun("option-tables", options: nil, quiet: false)
      let tables = child.output.components(separatedBy: "\n\n").filter { !$0.isEmpty }
      let article = try String(
        contentsOf: URL(fileURLWithPath: #filePath)
          .appendingPathComponent(
            "../../../../Sources/InterlockWatchdog/InterlockWatchdog.docc/EnvironmentOptions.md"
          ).standardized, encoding: .utf8)
      let documented = article.components(separatedBy: "\n\n").filter {
        $0.hasPrefix("| option |")
      }
      #expect(tables.count == 7)
      #expect(documented.sorted() == tables.sorted())
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
