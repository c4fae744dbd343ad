import Foundation
package import Testing

/// Compares a text with the golden file of this name in `Goldens` beside the calling file, which
/// `UPDATE_GOLDENS=1` writes anew.
package func expectGolden(
  _ text: String, _ name: String, caller: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let file = URL(fileURLWithPath: caller).deletingLastPathComponent()
    .appending(path: "Goldens/\(name)")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
    try? text.write(to: file, atomically: true, encoding: .utf8)
  }
  let golden = try? String(contentsOf: file, encoding: .utf8)
  #expect(text == golden, "differs from \(name)", sourceLocation: sourceLocation)
}
