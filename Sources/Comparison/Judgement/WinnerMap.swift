/// The fastest strategies by callers and reads, with all other properties of the base workload.
package struct WinnerMap: Sendable, Hashable {
  /// The numbers of callers, ascending.
  package var threads: [Int]
  /// The reads of a hundred, ascending.
  package var reads: [Int]
  private var leaders: [[Int]: [String]] = [:]

  /// Collects the workloads that differ from the first in these two properties only.
  package init(_ comparison: ComparisonRecord) {
    threads = []
    reads = []
    guard let base = comparison.cells.first?.cell else { return }
    for result in comparison.cells {
      var cell = result.cell
      cell.threads = base.threads
      cell.reads = base.reads
      guard cell == base else { continue }
      let found = Ranking(result, of: comparison).leaders
      guard !found.isEmpty else { continue }
      leaders[[result.cell.threads, result.cell.reads]] = found
      threads.append(result.cell.threads)
      reads.append(result.cell.reads)
    }
    threads = Set(threads).sorted()
    reads = Set(reads).sorted()
  }

  /// The fastest strategy, and those that are not shown to be slower; `nil` if not measured.
  package func winners(threads: Int, reads: Int) -> [String]? { leaders[[threads, reads]] }
}
