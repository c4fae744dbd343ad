import Interlock
import InterlockStress
import LockStrategies

/// Measures what Interlock costs: `swift run -c release Benchmarks bench memory`.
@main
struct Benchmarks: StressCommand {
  static let subjects =
    SubjectEntry.builtIn + [
      .lock("own-nslock") { FoundationLock() }, .lock("own-serial-queue") { SerialQueueLock() },
    ]

  static func main() {
    OwnCode.register([OwnCode(.executable)])
    start()
  }

  static let benches = [
    BenchEntry(name: "sections", summary: "what a section costs, against an uncontended NSLock") {
      try SectionsBench.run()
    },
    BenchEntry(name: "delays", summary: "what near-miss delays cost where there is nothing to find")
    {
      DelaysBench.run()
    },
    BenchEntry(name: "trials", summary: "what a child process and a passing trial cost") {
      try TrialsBench.run()
    },
    BenchEntry(name: "caches", summary: "what a hit costs, against a dictionary under NSLock") {
      CachesBench.run()
    },
    BenchEntry(
      name: "predict", summary: "the cost of recording lock orders; run it alone"
    ) { try PredictBench.run() },
    BenchEntry(name: "compare", summary: "what recording a duration costs 'compare'") {
      CompareBench.run()
    },
    BenchEntry(
      name: "explore", summary: "how many orders an exploration runs, and what each costs"
    ) { try ExploreBench.run() },
    BenchEntry(
      name: "memory", summary: "what checking accesses of memory costs, against ThreadSanitizer"
    ) { try MemoryBench.run() },
    BenchEntry(
      name: "reports", summary: "what the reports of 100,000 results cost in each format"
    ) { ReportsBench.run() },
    // Last, because it turns the wait table on permanently.
    BenchEntry(name: "events", summary: "the cost of seeing the calls that wait and wake") {
      try EventsBench.run()
    },
  ]
}
