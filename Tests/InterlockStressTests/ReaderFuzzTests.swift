import Foundation
import FuzzedReaders
import Testing

/// A short run of the tests that `ci/checks/fuzz.sh` runs at length, always with the same inputs.
@Suite("Readers accept or refuse, in one line, whatever they are given")
struct ReaderFuzzTests {
  /// The number of inputs of each reader.
  private static let count =
    Int(ProcessInfo.processInfo.environment["INTERLOCK_FUZZ_INPUTS"] ?? "") ?? 3_000

  @Test("A reader accepts its seeds", arguments: FuzzedReader.all.map(\.name))
  func seeds(_ name: String) throws {
    let reader = try #require(FuzzedReader.all.first { $0.name == name })
    try #require(!reader.seeds.isEmpty)
    for seed in reader.seeds { #expect(reader.read(seed) == .accepted) }
  }

  @Test(
    "A reader neither crashes on nearly correct inputs, nor reads any of them wrongly",
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
    // Too few refused or accepted inputs would test nothing.
    #expect(refused > Self.count / 10 && refused < Self.count)
  }
}
