import Foundation
import ProcessInspection
import Testing

/// The inputs of 'bench sections': marks and locks, each in a separate program.
@Suite(
  "The yardstick of 'bench sections'",
  .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")))
struct YardstickTests {
  private func program(_ name: String) throws -> Data {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name)
    return try Data(contentsOf: path, options: .alwaysMapped)
  }

  private func has(_ symbol: String, _ program: Data) -> Bool {
    program.range(of: Data(symbol.utf8)) != nil
  }

  @Test(
    "'bench sections' times locks without Interlock linked, and marks with Interlock alone",
    .disabled(if: Platform.isUnderThreadSanitizer, "the tool interposes nothing then"))
  func links() throws {
    let locks = try program("YardstickLocks")
    #expect(!has("interlock_", locks))
    let marks = try program("YardstickMarks")
    #expect(has("interlock_thread_home", marks))
    let tool = try program("interlock")
    for symbol in ["interlock_find_real", "interlock_wanted", "interlock_waits_start"] {
      #expect(has(symbol, tool))
      #expect(!has(symbol, marks))
    }
  }
}
