package import StressRunner

/// One workload of a comparison, on which every strategy is measured.
package struct Cell: Sendable, Hashable {
  /// How many callers there are, 1 to 256; each has its own thread with the driver `threads`.
  package var threads: Int
  /// How many calls of a hundred read.
  package var reads: Int
  /// The length of a call's critical section, besides the table's access; nanoseconds.
  package var sectionNanoseconds: Int
  /// How many keys there are.
  package var keys: Int
  /// How keys are drawn.
  package var distribution: Workload.Distribution
  /// The driver that runs the callers.
  package var driver: Workload.Driver
  /// The scenario that gives the calls, if one does.
  package var scenario: String?

  /// Describes a workload.
  package init(
    threads: Int, reads: Int, sectionNanoseconds: Int, keys: Int,
    distribution: Workload.Distribution = .uniform, driver: Workload.Driver = .threads,
    scenario: String? = nil
  ) {
    self.threads = threads
    self.reads = reads
    self.sectionNanoseconds = sectionNanoseconds
    self.keys = keys
    self.distribution = distribution
    self.driver = driver
    self.scenario = scenario
  }

  /// `4 threads, 90 % reads, section 100 ns, 1000 keys`, the same on every machine: cells of two
  /// runs are matched by their names.
  package var name: String {
    if let scenario { return "scenario \(scenario)" }
    let callers = driver == .threads ? "thread" : "caller"
    return "\(threads) \(callers)\(threads == 1 ? "" : "s"), \(reads) % reads, "
      + "section \(durationText(sectionNanoseconds)), \(keys) key\(keys == 1 ? "" : "s")"
      + (distribution == .uniform ? "" : ", \(distribution.rawValue)")
      + (driver == .threads ? "" : ", \(driver.rawValue)")
  }
}

/// `0`, `100 ns`, `10 µs`: the shortest exact spelling.
package func durationText(_ nanoseconds: Int) -> String {
  if nanoseconds == 0 { return "0" }
  for (unit, size) in [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1000)]
  where nanoseconds % size == 0 {
    return "\(nanoseconds / size) \(unit)"
  }
  return "\(nanoseconds) ns"
}
