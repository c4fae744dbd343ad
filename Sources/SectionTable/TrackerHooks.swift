internal import CMarks

/// The work that the table of sections leaves to the module above it: reports, settings, and work
/// done once per source line. No hook is on the fast path of a section.
package protocol TrackerHooks: AnyObject, Sendable {
  /// Publishes the settings that every begin reads. Called before the first begin.
  func publishSettings() -> HotSettings

  /// The scope of the calling task or thread; 0 for none.
  var scopeOfCaller: UInt { get }

  /// Reports every owner whose section conflicts with the section just published.
  func reportConflicts(
    of open: Registry.OpenSection, in bucket: Bucket, on resource: borrowing Resource)

  /// Reports every owner whose section conflicts with a section on a part just published, if the
  /// parts are equal. Returns true if there is one.
  func reportConflicts(
    of open: Registry.OpenSection, on part: Part, in bucket: Bucket,
    on resource: borrowing Resource
  ) -> Bool

  /// Finds the meaning of an end without a matching section of its owner, and reports it.
  func endWithoutBegin(
    _ resource: borrowing Resource, writes: Bool, part: Part?, at site: borrowing Site)

  /// Reports that another end came before the end of a block.
  func endedBefore(_ resource: borrowing Resource, part: Part?, at site: borrowing Site)

  /// Returns a copy of a past section. Called under the lock of its shadow state.
  func copy(of past: PastAccess) -> AnyObject

  /// Reports past sections that nothing orders before the section just begun by the calling thread.
  func addUnordered(_ past: [AnyObject], before record: Record, _ source: OrderSource)

  /// Called at a sync point while sync points are armed.
  func reached(syncPoint name: StaticString)

  /// Creates the near-miss delays of the process; `nil` without memory.
  func makeDelays() -> NearMissDelays?

  /// Creates the contention coverage of the process; `nil` without memory.
  func makeCoverage() -> ContentionCoverage?
}

/// Carries the hooks through C.
package final class TrackerHooksBox: Sendable {
  fileprivate let hooks: any TrackerHooks

  /// Stores the hooks.
  package init(_ hooks: any TrackerHooks) { self.hooks = hooks }
}

/// Access to the module above.
package enum Tracker {
  /// The hooks. They come through a C call, because a module can only import modules below it.
  package static let hooks: any TrackerHooks =
    Unmanaged<TrackerHooksBox>.fromOpaque(interlock_make_tracker_hooks()).takeRetainedValue().hooks
}
