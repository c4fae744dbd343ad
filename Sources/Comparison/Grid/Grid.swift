package import StressRunner

/// The workloads of a comparison, as the values of each property.
package struct Grid: Sendable, Hashable {
  /// How the properties are combined.
  package enum Extent: Sendable, Hashable {
    /// Callers × reads, and each other property varied alone from the base.
    case oneAtATime
    /// Every combination.
    case full
  }

  /// How many callers a cell may have; each may be a thread.
  package static let threadRange = 1...256
  /// The limit of cells: a comparison of more would take too long.
  package static let mostCells = 2000

  /// Callers.
  package var threads = [1, 2, 4, 8, 16]
  /// Calls of a hundred that read.
  package var reads = [0, 50, 90, 99, 100]
  /// Nanoseconds in the critical section.
  package var sections = [100, 0, 1000, 10_000]
  /// Keys.
  package var keys = [1000, 1]
  /// How keys are drawn.
  package var distributions: [Workload.Distribution] = [.uniform, .zipf]
  /// The drivers that run the callers.
  package var drivers: [Workload.Driver] = [.threads, .dispatchQueue, .tasks]
  /// How the properties are combined.
  package var extent = Extent.oneAtATime

  /// The default.
  package init() {}

  /// The workloads of `--quick`.
  package static var quick: Grid {
    var grid = Grid()
    grid.threads = [1, 4, 16]
    grid.reads = [0, 90, 100]
    grid.sections = [100]
    grid.keys = [1000]
    grid.distributions = [.uniform]
    grid.drivers = [.threads]
    return grid
  }

  /// The workload that is ranked: 4 callers and 90 reads, or the middle values, and the first value
  /// of each other property.
  ///
  /// `nil` if a property has no value.
  package var base: Cell? {
    guard let threads = threads.contains(4) ? 4 : middle(threads),
      let reads = reads.contains(90) ? 90 : middle(reads), let section = sections.first,
      let keys = keys.first, let distribution = distributions.first, let driver = drivers.first
    else { return nil }
    return Cell(
      threads: threads, reads: reads, sectionNanoseconds: section, keys: keys,
      distribution: distribution, driver: driver)
  }

  /// All workloads, the base first; none if a property has no value.
  package var cells: [Cell] {
    guard let base else { return [] }
    var cells = [base]
    switch extent {
    case .oneAtATime:
      for threads in threads {
        for reads in reads {
          var cell = base
          cell.threads = threads
          cell.reads = reads
          cells.append(cell)
        }
      }
      cells += sections.map { value in with(base) { $0.sectionNanoseconds = value } }
      cells += keys.map { value in with(base) { $0.keys = value } }
      cells += distributions.map { value in with(base) { $0.distribution = value } }
      cells += drivers.map { value in with(base) { $0.driver = value } }
    case .full:
      for driver in drivers {
        for distribution in distributions {
          for keys in keys {
            for section in sections {
              for reads in reads {
                cells += threads.map {
                  Cell(
                    threads: $0, reads: reads, sectionNanoseconds: section, keys: keys,
                    distribution: distribution, driver: driver)
                }
              }
            }
          }
        }
      }
    }
    var seen: Set<Cell> = []
    // With one key every distribution is the same.
    return cells.filter { cell in
      (cell.keys > 1 || cell.distribution == distributions.first) && seen.insert(cell).inserted
    }
  }

  private func with(_ cell: Cell, _ change: (inout Cell) -> Void) -> Cell {
    var changed = cell
    change(&changed)
    return changed
  }

  private func middle(_ values: [Int]) -> Int? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }
}
