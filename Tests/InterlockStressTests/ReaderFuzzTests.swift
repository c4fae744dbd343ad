import Foundation
import FuzzedReaders
import Testing

/// A short round of what `ci/checks/fuzz.sh` does at length: the same inputs in every run.
@Suite("Readers accept or refuse, in one line, whatever they are given")
struct ReaderFuzzTests {
  /// How many inputs each reader gets.
  private static let count =
    Int(ProcessInfo.processInfo.environment["INTERLOCK_FUZZ_INPUTS"] ?? "") ?? 3_000

  @Test("A reader accepts its seeds", arguments: FuzzedReader.all.map(\.name))
  func seeds(_ name: String) throws {
    let reader = try #require(FuzzedReader.all.first { $0.name == name })
    try #require(!reader.seeds.isEmpty)
    for seed in reader.seeds { #expect(reader.read(seed) == .accepted) }
  }

  @Test(
    "A reader neither crashes on inputs that are nearly right, nor reads any of them wrong",
    arguments: FuzzedReader.all.map(\.name))
  func mutations(_ name: String) throws {
    let reader = try #require(FuzzedReader.all.first { $0.name == name })
    let mutations = Mutations(reader.seeds)
    var refused = 0
    for number in 0..<Self.count {
      switch reader.read(mutations.input(number)) {
      case .accepted: break
      case .refused: refused += 1
      case .wrong(let fault):
        Issue.record("input \(number): \(fault)")
        return
      }
    }
    // Some of each, or the inputs test nothing.
    #expect(refused > Self.count / 10 && refused < Self.count)
  }
}
