import Testing

@testable import Comparison

@Suite("The judgement of a comparison")
struct JudgementTests {
  private func cell(reads: Int, threads: Int = 4) -> Cell {
    var cell = baseCell
    cell.reads = reads
    cell.threads = threads
    return cell
  }

  @Test("A comparison ranks by throughput; strategies without a difference lead together")
  func ranking() {
    let record = record([
      (
        baseCell,
        [("slow", around(50)), ("quick", around(100)), ("twin", around(100, seed: 2))]
      )
    ])
    let ranking = Ranking(record.cells[0], of: record)
    #expect(Set(ranking.leaders) == ["quick", "twin"])
    #expect(ranking.lines.last?.strategy == "slow")
    #expect(ranking.lines.last?.toFirst.verdict == .slower)
    #expect(abs((ranking.lines.last?.toFirst.ratio.median ?? 0) - 0.5) < 0.02)
  }

  /// Rounds of a machine that becomes faster: `ahead` beats `drifting` in all rounds but the middle
  /// one, which decides on the median.
  private var drifting: ComparisonRecord {
    let rounds = (0..<15).map { Double(100_000 + 4000 * $0) }
    let ahead = rounds.enumerated().map { $1 * ($0 == 7 ? 0.98 : 1.02) }
    return record([
      (baseCell, [("drifting", rounds), ("ahead", ahead), ("slow", rounds.map { $0 / 2 })])
    ])
  }

  @Test("A comparison puts a strategy first that beats the one with the highest median")
  func beatsHighest() throws {
    let ranking = Ranking(drifting.cells[0], of: drifting)
    #expect(ranking.lines.map(\.strategy) == ["ahead", "drifting", "slow"])
    #expect(ranking.lines[0].throughput.median < ranking.lines[1].throughput.median)
    #expect(ranking.lines.dropFirst().allSatisfy { $0.toFirst.verdict == .slower })
    #expect(ranking.leaders == ["ahead"])
    #expect(WinnerMap(drifting).winners(threads: 4, reads: 90) == ["ahead"])
    let sentence = try #require(Advice(drifting, reference: "drifting").sentences.first)
    #expect(sentence.hasSuffix("`ahead` is the fastest: 1.02 × faster than `drifting`"))
  }

  @Test("Strategies that beat each other in a circle lead together, and none is the fastest")
  func circle() throws {
    // In two of three rounds, `one` beats `two`, `two` beats `three`, and `three` beats `one`.
    func rounds(_ speeds: [Double]) -> [Double] { (0..<60).map { speeds[$0 % 3] } }
    let record = record([
      (
        baseCell,
        [
          ("one", rounds([300, 100, 200])), ("two", rounds([200, 300, 100])),
          ("three", rounds([100, 200, 300])), ("slow", rounds([10, 10, 10])),
        ]
      )
    ])
    let ranking = Ranking(record.cells[0], of: record)
    #expect(ranking.lines.map(\.strategy).sorted() == ["one", "slow", "three", "two"])
    #expect(ranking.lines[0].toFirst.verdict == .noDifferenceSeen)
    let faster = try #require(ranking.lines.first { $0.toFirst.verdict == .faster })
    #expect(ranking.leaders == [ranking.lines[0].strategy, faster.strategy])
    let sentences = Advice(record, reference: "slow").sentences
    #expect(
      sentences.first?.hasSuffix("do not show which is the fastest: more time would tell") == true)
  }

  @Test("A comparison gives a faulty strategy no rank, however fast it is")
  func refused() {
    var record = record([(baseCell, [("wrong", around(900)), ("right", around(100))])])
    record.strategies[0].fault = .init(verdict: "race", message: "two were in")
    let ranking = Ranking(record.cells[0], of: record)
    #expect(ranking.lines.map(\.strategy) == ["right"])
    #expect(WinnerMap(record).winners(threads: 4, reads: 90) == ["right"])
    #expect(Advice(record, reference: "right").sentences.isEmpty)
  }

  @Test("A comparison names the strategies faster than the reference, by the interval")
  func winner() throws {
    let record = record([(baseCell, [("nslock", around(100)), ("quick", around(150, seed: 2))])])
    let sentence = try #require(Advice(record, reference: "nslock").sentences.first)
    #expect(
      sentence.hasPrefix(
        "for this work (4 threads, 90 % reads, section 100 ns, 1000 keys) `quick` is the fastest:"
          + " 1."))
    #expect(sentence.hasSuffix("× faster than `nslock`"))
  }

  @Test("A comparison reports that no difference was seen, or that there are too few rounds")
  func nothingToSay() {
    let equal = record([(baseCell, [("one", around(100)), ("other", around(100, seed: 2))])])
    #expect(
      Advice(equal, reference: "one").sentences.first?.contains("no difference was seen between")
        == true)
    let few = record([(baseCell, [("one", [1, 2]), ("other", [1, 2])])])
    #expect(Advice(few, reference: "one").sentences.first?.contains("too few rounds") == true)
    let onlyOne = record([(baseCell, [("one", around(100)), ("other", [1, 2])])])
    #expect(
      Advice(onlyOne, reference: "one").sentences.first?.hasSuffix(
        "the measurements do not show which is the fastest: more time would tell") == true)
  }

  @Test("A comparison names the share of reads from which a strategy leads")
  func crossing() {
    let record = record([
      (baseCell, [("shared", around(80)), ("plain", around(100))]),
      (cell(reads: 0), [("shared", around(50)), ("plain", around(100))]),
      (cell(reads: 100), [("shared", around(300)), ("plain", around(100))]),
    ])
    #expect(
      Advice(record, reference: "plain").sentences.contains(
        "`shared` is the fastest or equal to it from 100 % reads on, and loses to `plain` at 90 %"))
    let never = self.record([
      (baseCell, [("shared", around(80)), ("plain", around(100))]),
      (cell(reads: 100), [("shared", around(80)), ("plain", around(100))]),
    ])
    #expect(Advice(never, reference: "plain").sentences.count == 1)
  }

  private func record(_ cells: [(Cell, [(String, [Double])])]) -> ComparisonRecord {
    ComparisonTests.record(cells)
  }

  @Test("A comparison calls a strategy unfair only if its whole interval is")
  func unfair() throws {
    var record = record([(baseCell, [("greedy", around(100)), ("just", around(50))])])
    for round in record.cells[0].entries[0].rounds.indices {
      record.cells[0].entries[0].rounds[round].fairness = 0.55 + Double(round) / 100
      record.cells[0].entries[0].rounds[round].largestShare = 0.61
    }
    #expect(
      Advice(record, reference: "just").sentences.last?
        .hasPrefix("`greedy` is unfair: one of 4 callers had 61 % of the turns") == true)
    // At a rate, the share of a caller is that of the calls that were due.
    var atRate = record
    atRate.rate = 20
    #expect(!Advice(atRate, reference: "just").sentences.contains { $0.contains("unfair") })
    // Occasional unfairness is not enough.
    record.cells[0].entries[0].rounds[0].fairness = 1
    record.cells[0].entries[0].rounds[1].fairness = 1
    record.cells[0].entries[0].rounds[2].fairness = 1
    record.cells[0].entries[0].rounds[3].fairness = 1
    #expect(!Advice(record, reference: "just").sentences.contains { $0.contains("unfair") })
  }

  @Test("A comparison reports a rate that a strategy missed by more than unfinished calls")
  func missedRate() throws {
    var record = record([
      (baseCell, [("one", around(1000)), ("late", around(800, seed: 2))]),
      (cell(reads: 0), [("one", around(1000)), ("late", around(900, seed: 3))]),
    ])
    #expect(MissedRate(record) == nil)
    record.rate = 1000
    let missed = try #require(MissedRate(record))
    #expect(missed.strategy == "late" && missed.cell == baseCell.name && missed.count == 2)
    #expect(abs(missed.part - 0.8) < 0.01)
    #expect(
      missed.text.hasPrefix("the requested rate was missed: `late` made 80 % of the calls (4 thr"))
    #expect(missed.text.contains(", and 1 more figure is below it; "))
    // In rounds of 25 ms, 20 of 25 calls are 4 fewer, one for each caller, and 5 % of noise.
    record.roundSeconds = 0.025
    #expect(MissedRate(record) == nil)
    record.roundSeconds = 1
    record.rate = 820
    #expect(MissedRate(record) == nil)
  }

  @Test("A comparison reports where noise hides a difference of the given size")
  func noise() throws {
    let rough = [50, 150, 80, 120, 60, 140, 90, 110, 70, 130, 100, 100.0]
    let record = record([(baseCell, [("one", rough), ("other", rough.reversed())])])
    let pair = try #require(
      Noise(Ranking(record.cells[0], of: record), difference: 0.05).pairs.first)
    #expect(pair.neededRounds > 12 && pair.rounds == 12)
    #expect(Noise(Ranking(record.cells[0], of: record), difference: 9).pairs.isEmpty)
    let quiet = self.record([(baseCell, [("one", around(100)), ("other", around(100, seed: 5))])])
    #expect(Noise(Ranking(quiet.cells[0], of: quiet), difference: 0.05).pairs.isEmpty)
  }

  @Test("A comparison leaves the warm-up rounds of either strategy out of both")
  func warmUp() {
    let cold = [10.0] + Array(around(100).dropFirst())
    let record = record([(baseCell, [("cold", cold), ("warm", around(50))])])
    let entries = record.cells[0].entries
    #expect(entries[0].warmUp == 1 && entries[1].warmUp == 0)
    #expect(RoundPair(entries[0], to: entries[1]).rounds == 11)
  }

  private func ratios(_ record: ComparisonRecord) -> Baseline.Ratios {
    Baseline.Ratios(record, to: "ref")
  }

  @Test("A regression is relative to the reference, and needs the whole interval")
  func baseline() throws {
    let before = ratios(record([(baseCell, [("ref", around(100)), ("one", around(200))])]))
    func found(_ now: [(String, [Double])], limit: Double = 0.1) -> [Baseline.Regression] {
      Baseline(limit: limit).regressions(
        ratios(record([(baseCell, now)])), since: before)
    }
    // The machine runs at half the speed.
    #expect(found([("ref", around(50)), ("one", around(100, seed: 4))]).isEmpty)
    // A strategy runs at half the speed.
    let regression = try #require(
      found([("ref", around(100)), ("one", around(140, seed: 4))]).first)
    #expect(regression.strategy == "one" && regression.cell == baseCell.name)
    #expect(abs(regression.slowdown.median - 200 / 140) < 0.05)
    // One strategy is slower by less than the limit, and one is faster.
    #expect(found([("ref", around(100)), ("one", around(190, seed: 4))]).isEmpty)
    #expect(found([("ref", around(100)), ("one", around(150, seed: 4))], limit: 0.5).isEmpty)
    #expect(found([("ref", around(100)), ("one", around(300, seed: 4))]).isEmpty)
    // The median is far above the limit, but with too much noise.
    let rough = [60, 240, 70, 230, 80, 220, 90, 210, 100, 200, 110, 150.0]
    #expect(found([("ref", around(100)), ("one", rough)]).isEmpty)
    let uncertain = Baseline(limit: 0.1).undecided(
      ratios(record([(baseCell, [("ref", around(100)), ("one", rough)])])), since: before)
    #expect(uncertain.map(\.strategy) == ["one"])
    let certain = Baseline(limit: 0.1).undecided(
      ratios(record([(baseCell, [("ref", around(100)), ("one", around(200, seed: 4))])])),
      since: before)
    #expect(certain.isEmpty)
  }
}
