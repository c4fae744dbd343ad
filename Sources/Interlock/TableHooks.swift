internal import SectionTable

/// Implements the hooks of the section table.
private final class TableHooks: TrackerHooks {
  func publishSettings() -> HotSettings { Settings.shared.publishHotSettings() }

  var scopeOfCaller: UInt { ConflictScopes.ofCaller }

  func reportConflicts(
    of open: Registry.OpenSection, in bucket: Bucket, on resource: borrowing Resource
  ) {
    ConflictDetection.report(open, in: bucket, on: resource)
  }

  func reportConflicts(
    of open: Registry.OpenSection, on part: Part, in bucket: Bucket,
    on resource: borrowing Resource
  ) -> Bool {
    ConflictDetection.lookAndReport(open, part, in: bucket, on: resource)
  }

  func endWithoutBegin(
    _ resource: borrowing Resource, writes: Bool, part: Part?, at site: borrowing Site
  ) {
    MisuseDetection.endWithoutBegin(resource, writes: writes, part: part, at: site)
  }

  func endedBefore(_ resource: borrowing Resource, part: Part?, at site: borrowing Site) {
    MisuseDetection.endedBefore(resource, part: part, at: site)
  }

  func copy(of past: PastAccess) -> AnyObject { PastSection(past) }

  func addUnordered(_ past: [AnyObject], before record: Record, _ source: OrderSource) {
    for section in past {
      guard let section = section as? PastSection else { continue }
      UnorderedLog.shared.add(section, before: record, source)
    }
  }

  func reached(syncPoint name: StaticString) { SyncPoints.reached(name) }

  func makeDelays() -> NearMissDelays? { NearMissStore.makeDelays() }

  func makeCoverage() -> ContentionCoverage? { CoverageStore.makeCoverage() }
}

/// Entry point from C, called once by the section table.
@_cdecl("interlock_make_tracker_hooks")
func makeTrackerHooks() -> UnsafeMutableRawPointer {
  Unmanaged.passRetained(TrackerHooksBox(TableHooks())).toOpaque()
}
