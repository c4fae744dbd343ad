import Findings
import Foundation
import Reports
import StressRunner
import Testing

@testable import InterlockStress

@Suite("'explain' and 'doctor'")
struct ExplainDoctorTests {
  @Test("'explain' lists every kind, and explains each within the terminal's width")
  func explain() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["explain"]) == .met)
    for rule in Rule.all { #expect(test.output.text.contains("\(rule.id) ")) }
    for rule in Rule.all {
      let one = try TestWorld()
      one.output.width = 80
      #expect(one.world.perform(["explain", rule.id]) == .met)
      #expect(one.output.text.hasPrefix(rule.id + ":"))
      #expect(one.output.text.contains("\nTo mend it:\n  "))
      // The code of an example is not wrapped.
      let example = rule.example.split(separator: "\n").map { "  " + $0 }
      let lines = one.output.text.split(separator: "\n")
        .filter { !example.contains(String($0)) }
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(rule.id)")
    }
  }

  @Test("A kind that 'explain' does not know is one line with the nearest kind")
  func unknown() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["explain", "rase"]) == .usage)
    #expect(
      test.errors.text
        == "error: There is no kind of finding 'rase': did you mean 'race'? See 'interlock help"
        + " explain'\n")
  }

  @Test("'doctor' shows on one screen what this build sees, and that a planted race is found")
  func doctor() throws {
    let test = try TestWorld()
    #expect(test.run("doctor") == .met)
    // Long lines are wrapped.
    let text = test.output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("✓ sections"))
    #expect(text.contains("✓ calls"))
    #expect(text.contains("2 in "))
    #expect(text.contains("without being asked: none"))
    #expect(test.output.text.split(separator: "\n").count <= 24)
  }

  @Test("On arm64, one line of 'doctor' shows that explore and the check of memory do not run")
  func processor() throws {
    let test = try TestWorld()
    var world = test.world
    #expect(world.perform(["doctor"]) == .met)
    #expect(!test.output.text.contains("processor "))
    world.processor = "arm64"
    #expect(world.perform(["doctor"]) == .met)
    let text = test.output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      text.contains(
        "✗ processor explore and the check of memory run only on x86-64 so far, and this is arm64"))
  }

  @Test("'doctor' shows what is missing, and a fault of Interlock's own is its exit code")
  func missing() throws {
    let test = try TestWorld()
    test.tracksSections = false
    test.environment = ["GITHUB_ACTIONS": "true", "INTERLOCK_OPTIONS": "delays=on"]
    var world = test.world
    world.sight = .sanitized
    #expect(world.perform(["doctor", "--scenarios", test.folder + "/none"]) == .met)
    // Long lines are wrapped.
    let text = test.output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("✗ sections") && text.contains("✗ calls"))
    #expect(text.contains("ThreadSanitizer is built in"))
    #expect(text.contains("✗ scenarios") && text.contains("is not there"))
    #expect(text.contains("without being asked: github"))
    #expect(text.contains("INTERLOCK_OPTIONS=delays=on"))
    // A package with tests only needs no scenario.
    let bare = try TestWorld()
    try FileManager.default.removeItem(atPath: bare.folder + "/StressScenarios")
    #expect(bare.world.perform(["doctor"]) == .met)
    #expect(bare.output.text.contains("  scenarios"))
    #expect(bare.output.text.contains("none: there is no "))
    // Scenarios that come with the product are counted apart from the folder's.
    let caches = try TestWorld()
    caches.moreSubjects = SubjectEntry.builtIn
    #expect(caches.ownWorld.perform(["doctor"]) == .met)
    #expect(caches.output.text.contains("built in, for "))
    let broken = try TestWorld()
    broken.selfTest = { "the planted race was not found" }
    #expect(broken.run("doctor") == .ourFault)
    #expect(broken.output.text.contains("a fault of Interlock's own"))
  }
}
