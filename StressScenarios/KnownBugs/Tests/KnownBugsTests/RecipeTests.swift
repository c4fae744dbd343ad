import Foundation
import InterlockStress
import Testing

@testable import KnownBugs

/// The scenarios as data, and the table that the executable prints of them.
struct RecipeTests {
  private struct Scenario: Decodable {
    struct Recipe: Decodable {
      var id: String
      var asShipped: String
      var repaired: String?
    }
    /// The expectation of a subject: a verdict, or an object with one.
    enum Expectation: Decodable {
      case verdict(String)

      private enum Keys: CodingKey { case verdict }

      init(from decoder: any Decoder) throws {
        guard let keys = try? decoder.container(keyedBy: Keys.self) else {
          self = .verdict(try decoder.singleValueContainer().decode(String.self))
          return
        }
        self = .verdict(try keys.decode(String.self, forKey: .verdict))
      }
    }
    var name: String
    var recipe: Recipe?
    var subjects: [String]
    var expect: [String: Expectation]?

    func passes(_ subject: String) -> Bool {
      guard case .verdict(let verdict) = expect?[subject] else { return true }
      return verdict == "passed"
    }
  }

  private static let package = URL(fileURLWithPath: #filePath)
    .appending(path: "../../..").standardizedFileURL

  private static func scenarios() throws -> [Scenario] {
    let folder = package.appending(path: "Scenarios").path
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap {
      ($0 as? String).flatMap { $0.hasSuffix(".json") ? $0 : nil }
    }
    return try names.map { name in
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      let scenario = try JSONDecoder().decode(Scenario.self, from: bytes)
      #expect((name as NSString).lastPathComponent == scenario.name + ".json")
      return scenario
    }
  }

  @Test("A recipe expects the bug as shipped and a passing repair, and every number has one")
  func recipes() throws {
    let scenarios = try Self.scenarios()
    var ids: [String] = []
    for scenario in scenarios {
      guard let recipe = scenario.recipe else { continue }
      ids.append(recipe.id)
      #expect(!scenario.passes(recipe.asShipped), "\(scenario.name)")
      if let repaired = recipe.repaired {
        #expect(scenario.passes(repaired), "\(scenario.name)")
      }
    }
    #expect(Set(ids).count == ids.count)
    for (family, numbers) in [
      ("TM", 1...7), ("PIN", 1...12), ("YY", 1...9), ("HO", 1...5), ("TU", 1...8),
    ] {
      for number in numbers {
        let id = "\(family)-\(number)"
        #expect(
          ids.contains {
            $0 == id || $0.hasPrefix(id) && $0.dropFirst(id.count).allSatisfy(\.isLowercase)
          }, "\(id)")
      }
    }
  }

  @Test("Every model has a scenario, and every subject of a scenario is in the executable")
  func subjects() throws {
    let used = Set(try Self.scenarios().flatMap(\.subjects))
    #expect(used == Set(knownBugSubjects.map(\.name)))
  }

  @Test(
    "The README has the table that 'recipes' prints",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe")))
  func table() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("known-bugs")
    process.arguments = ["recipes"]
    process.currentDirectoryURL = Self.package
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let table = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let readme = try Data(contentsOf: Self.package.appending(path: "README.md"))
    // Do not compare whole texts: a failure would print both of them.
    #expect(
      readme.range(of: table) != nil, "run: known-bugs recipes, and put the table into README.md")
  }
}
