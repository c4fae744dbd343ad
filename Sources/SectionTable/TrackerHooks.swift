internal import CMarks

/// What the table of sections leaves to the module above it: reports, settings, and what a section
/// does once for its line of source code. No hook is on the usual path of a section.
package protocol TrackerHooks: AnyObject, Sendable {
  /// Publishes the settings that every begin reads, before the first of them.
  func publishSettings() -> HotSettings

  /// The scope of the calling task or thread; 0 for none.
  var scopeOfCaller: UInt { get }

  /// Reports every owner with which the section just published conflicts.
  func reportConflicts(
    of open: Registry.OpenSection, in bucket: Bucket, on resource: borrowing Resource)

  /// Reports every owner with which the section on a part that was just published conflicts, if
  /// the parts are equal; returns whether there is any.
  func reportConflicts(
    of open: Registry.OpenSection, on part: Part, in bucket: Bucket,
    on resource: borrowing Resource
  ) -> Bool

  /// Finds out what an end without a matching section of its owner meant, and reports it.
  func endWithoutBegin(
    _ resource: borrowing Resource, writes: Bool, part: Part?, at site: borrowing Site)

  /// Reports that another end came before the end of a block.
  func endedBefore(_ resource: borrowing Resource, part: Part?, at site: borrowing Site)

  /// A copy of a past section, made under the lock of its shadow state.
  func copy(of past: PastAccess) -> AnyObject

  /// Reports past sections that nothing orders before the section that the calling thread has just
  /// begun.
  func addUnordered(_ past: [AnyObject], before record: Record, _ source: OrderSource)

  /// Called at a sync point while one of them may lead anywhere.
  func reached(syncPoint name: StaticString)

  /// Makes the near-miss delays of the process; `nil` without memory.
  func makeDelays() -> NearMissDelays?

  /// Makes the contention coverage of the process; `nil` without memory.
  func makeCoverage() -> ContentionCoverage?
}

/// Passes the hooks through C.
package final class TrackerHooksBox: Sendable {
  fileprivate let hooks: any TrackerHooks

  /// Keeps the hooks.
  package init(_ hooks: any TrackerHooks) { self.hooks = hooks }
}

/// The module above.
package enum Tracker {
  /// Its hooks. By a call of C: a module knows only those below it.
  package static let hooks: any TrackerHooks =
    Unmanaged<TrackerHooksBox>.fromOpaque(interlock_make_tracker_hooks()).takeRetainedValue().hooks
}
