internal import SectionTable
internal import Synchronization

/// The names of resources and places, and the state of each pair: the data behind the lock of
/// `ContentionCoverage`.
struct KnownPlaces {
  private struct Visit: Hashable {
    var resource: UInt
    var place: Place
    var mode: Mode
  }

  /// The number of each resource, from 1.
  private var resources: [String: UInt] = [:]
  private var names: [String] = []
  private var numbers: [Visit: PlaceNumber] = [:]
  private var accesses: [(access: Visit, number: PlaceNumber)] = []
  private var pairCount = 0
  /// True if a table was full.
  var isFull = false

  /// The number of a place on a resource; a new number if it has none. If there are too many
  /// places, the number that stands for a place that is not followed.
  mutating func number(
    of place: Place, in mode: Mode, on name: String, in tables: CoverageTables
  ) -> PlaceNumber {
    let none = PlaceNumber(bits: 0)
    let name = name.isEmpty ? "property at \(place.file):\(place.line)" : name
    guard let resource = resources[name] ?? add(name) else { return none }
    let access = Visit(resource: resource, place: place, mode: mode)
    if let number = numbers[access] { return number }
    let next = UInt(numbers.count + 1) << 1
    guard next < UInt(DelayTables.placeNumbers) else { return none }
    let number = PlaceNumber(bits: next | (mode.writes ? 1 : 0))
    tables.tie(number, toResource: resource)
    numbers[access] = number
    accesses.append((access, number))
    return number
  }

  private mutating func add(_ name: String) -> UInt? {
    guard names.count < CoverageTables.mostResources else {
      isFull = true
      return nil
    }
    names.append(name)
    resources[name] = UInt(names.count)
    return UInt(names.count)
  }

  /// Sets the state of a pair. An overlap is never reset.
  mutating func set(_ state: PairState, of pair: PlacePair, in tables: CoverageTables) {
    let before = tables.near.state(of: pair)
    guard before != state, before != .found else { return }
    guard before != nil || pairCount < DelayTables.mostPairs, tables.near.set(state, of: pair)
    else {
      isFull = true
      return
    }
    if before == nil { pairCount += 1 }
    if pairCount == DelayTables.mostPairs { tables.near.close() }
  }

  func report(from tables: CoverageTables) -> CoverageReport {
    var report = CoverageReport()
    report.isFull = isFull || pairCount == DelayTables.mostPairs
    let byResource = Dictionary(grouping: accesses, by: \.access.resource)
    for (index, name) in names.enumerated() {
      let number = UInt(index + 1)
      report.resources.append(
        resource(name, tables.words(ofResource: number), byResource[number] ?? [], tables))
    }
    return report
  }

  private func resource(
    _ name: String, _ words: CoverageTables.ResourceWords,
    _ accesses: [(access: Visit, number: PlaceNumber)], _ tables: CoverageTables
  ) -> CoverageReport.Resource {
    var pairs: [CoverageReport.Outcome: [CoverageReport.Pair]] = [:]
    var counts: [CoverageReport.Outcome: Int] = [:]
    for first in accesses.indices {
      for second in first..<accesses.count
      where accesses[first].number.writes || accesses[second].number.writes {
        let pair = PlacePair(accesses[first].number, accesses[second].number)
        let outcome = Self.outcome(tables.near.state(of: pair))
        counts[outcome, default: 0] += 1
        if counts[outcome, default: 0] <= CoverageReport.mostPairs {
          pairs[outcome, default: []].append(
            CoverageReport.Pair(first: first, second: second, outcome: outcome))
        }
      }
    }
    let flags = words.flags
    let listed = CoverageReport.Outcome.allCases.flatMap { pairs[$0] ?? [] }
    return CoverageReport.Resource(
      name: name, owners: words.owners,
      contention: flags & CoverageTables.ResourceWords.shared != 0
        ? .shared
        : flags & CoverageTables.ResourceWords.unknown != 0 ? .unknown : .oneOwner,
      places: accesses.map {
        CoverageReport.Visited(
          place: $0.access.place, mode: $0.access.mode, byOneOwner: tables.isOfOneOwner($0.number))
      },
      pairs: Array(listed.prefix(CoverageReport.mostPairs)), overlapped: counts[.overlapped] ?? 0,
      nearMisses: counts[.nearMiss] ?? 0, apart: counts[.apart] ?? 0)
  }

  private static func outcome(_ state: PairState?) -> CoverageReport.Outcome {
    switch state {
    case .found: .overlapped
    case .armed, .dropped: .nearMiss
    case nil: .apart
    }
  }
}
