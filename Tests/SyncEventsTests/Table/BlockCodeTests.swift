import Foundation
import Testing

extension SyncEvents {
  /// The rule by which queued blocks count as running the same code.
  @Suite("The code of queued blocks")
  struct BlockCodeTests {
    @Test("Blocks of one closure have one code, and of two closures two, in any reused memory")
    func codes() throws {
      let child = try ChildRun("codes")
      #expect(child.status == 0, "\(child.errors)")
      #expect(
        child.words == [
          "one=1", "one-closure=1", "two-closures=2", "two-generics=2", "one-instance=1",
          "two-instances=2", "one-flag=1", "two-flags=2", "two-lists=2",
        ])
    }
  }
}
