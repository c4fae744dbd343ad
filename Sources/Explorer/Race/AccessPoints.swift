internal import CInterlockAnalysis
internal import Interlock

/// The memory accesses that are points: the racing ones.
struct AccessPoints {
  /// The call sites of the accesses, as return addresses.
  private(set) var sites: [UInt] = []
  /// A key for each call site, which is the same in another build with the same function.
  private(set) var keys: [UInt64] = []

  private static let most = 64

  /// Creates an empty list.
  init() {}

  /// Creates a list from keys; keys without a call site in this build are left out.
  init(keys: [UInt64]) {
    for key in keys {
      let site = interlock_access_site(key)
      if site != 0 { add(site, key) }
    }
  }

  /// Adds both accesses of each race, and returns `false` if none was added. A race is skipped if
  /// one of its call sites has no key, because a token could not name the point.
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
