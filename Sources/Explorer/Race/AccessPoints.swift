internal import CInterlockAnalysis
internal import Interlock

/// The accesses of memory that are points: those that race.
struct AccessPoints {
  /// Their call sites, as return addresses.
  private(set) var sites: [UInt] = []
  /// A number for each, which other builds of its function have too.
  private(set) var keys: [UInt64] = []

  private static let most = 64

  /// None.
  init() {}

  /// Those that have the numbers, as far as this build has them.
  init(keys: [UInt64]) {
    for key in keys {
      let site = interlock_access_site(key)
      if site != 0 { add(site, key) }
    }
  }

  /// Adds both accesses of each race; returns `false` if none was added. One whose call site has no
  /// number is no point: a token could not name it.
  mutating func add(_ races: Set<KnownMemoryRaces.Sites>) -> Bool {
    let before = sites.count
    let pairs = races.map(\.addresses).sorted { $0.lexicographicallyPrecedes($1) }
    for pair in pairs {
      let numbered = pair.filter { $0 != 0 }.map { ($0, interlock_access_key($0)) }
      guard numbered.count == 2, numbered.allSatisfy({ $0.1 != 0 }) else { continue }
      for (site, key) in numbered { add(site, key) }
    }
    return sites.count > before
  }

  private mutating func add(_ site: UInt, _ key: UInt64) {
    guard !sites.contains(site), sites.count < Self.most else { return }
    sites.append(site)
    keys.append(key)
  }
}
