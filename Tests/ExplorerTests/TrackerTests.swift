import Foundation
import TestSupport
import Testing

/// The tracker's own algorithm, in the orders of its atomic operations: if two owners are in
/// sections that conflict, one of them has reported it. The look at others' records, for the
/// report, is one step.
@Suite(.serialized, .controlled, .offThePool) struct TrackerTests {
  /// What the program found, by its lines.
  private func explore(_ options: String...) throws -> [String: String] {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("ExploredTracker")
    process.arguments = options
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }, uniquingKeysWith: { $1 })
  }

  @Test(
    "one of two owners reports each overlap, in all orders of one section and of two sections each",
    arguments: [("1", "0", "186"), ("1", "1", "186"), ("2", "0", "56025")])
  func finished(_ sections: String, _ readers: String, _ orders: String) throws {
    let found = try explore("--threads", "2", "--sections", sections, "--readers", readers)
    #expect(found["complete"] == "true")
    #expect(found["verdict"] == "0")
    #expect(found["cut"] == "0")
    #expect(found["executions"] == orders)
    #expect(Int(found["overlaps"] ?? "") ?? 0 > 0)
  }

  @Test("two readers do not conflict in any of 102 orders")
  func readers() throws {
    let found = try explore("--threads", "2", "--sections", "1", "--readers", "2")
    #expect(found["complete"] == "true")
    #expect(found["verdict"] == "0")
    #expect(found["executions"] == "102")
    #expect(found["overlaps"] == "0")
    #expect(found["reported"] == "0")
  }

  @Test(
    "larger programs miss no overlap in the first 3,000 orders, which are not all",
    arguments: [("3", "1"), ("3", "2")])
  func unfinished(_ threads: String, _ sections: String) throws {
    let found = try explore(
      "--threads", threads, "--sections", sections, "--executions", "3000")
    #expect(found["verdict"] == "0")
    #expect(found["executions"] == "3000")
    #expect(Int(found["overlaps"] ?? "") ?? 0 > 0)
  }

  @Test("a publication that becomes visible after the look misses an overlap, which is found")
  func delayed() throws {
    let found = try explore("--threads", "2", "--sections", "1", "--delay-publication")
    #expect(found["missed"] == "true")
    #expect(found["verdict"] == "1")
  }
}
