import Foundation

extension ExploredTests {
  /// Reads the results that processes have written into a folder, one file each; `nil` if there are
  /// none.
  package init?(folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let parts = names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)").flatMap {
        try? JSONDecoder().decode(Self.self, from: $0)
      }
    }
    if parts.isEmpty { return nil }
    self.init()
    for part in parts { formUnion(part) }
  }
}
