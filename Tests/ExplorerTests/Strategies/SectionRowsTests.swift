import CInterlockExplorer
import StrategyTestsC
import Testing

/// Compares the rows of sections and sync points with the model, where the begin of a section
/// returns the number of open sections that it conflicts with.
@Suite struct SectionRowsTests {
  static let first = UInt64(MODEL_FIRST_WITH_SECTIONS)

  @Test("steps of sections and sync points whose order makes a difference are dependent")
  func rows() {
    var pairs = model_pairs()
    model_check_pairs(Self.first, 2000, &pairs)
    #expect(pairs.wrong == 0)
    let (differs, same) = DependencyTableTests.counts(&pairs)
    func index(_ a: interlock_operation_kind, _ b: interlock_operation_kind) -> Int {
      Int(a.rawValue) * Int(MODEL_KINDS) + Int(b.rawValue)
    }
    for (a, b) in [
      (INTERLOCK_OPERATION_SECTION_READ, INTERLOCK_OPERATION_SECTION_WRITE),
      (INTERLOCK_OPERATION_SECTION_READ, INTERLOCK_OPERATION_SECTION_WRITE_END),
      (INTERLOCK_OPERATION_SECTION_WRITE, INTERLOCK_OPERATION_SECTION_WRITE),
      (INTERLOCK_OPERATION_SECTION_WRITE, INTERLOCK_OPERATION_SECTION_READ_END),
      (INTERLOCK_OPERATION_SECTION_WRITE, INTERLOCK_OPERATION_SECTION_WRITE_END),
      (INTERLOCK_OPERATION_SYNC_POINT, INTERLOCK_OPERATION_SYNC_POINT),
    ] {
      #expect(differs[index(a, b)] > 0)
      #expect(same[index(a, b)] == 0)
    }
  }

  @Test(
    "every trace and outcome of plain search is found in random programs with sections",
    arguments: [false, true])
  func search(_ byFirstUse: Bool) {
    var comparison = model_comparison()
    model_compare(Self.first, 500, 1000, byFirstUse, &comparison)
    #expect(comparison.programs >= 150)
    #expect(comparison.missing == 0, "program \(comparison.first_missing_seed)")
    #expect(comparison.incomplete == 0)
    if !byFirstUse { #expect(comparison.traces_differ == 0) }
  }
}
