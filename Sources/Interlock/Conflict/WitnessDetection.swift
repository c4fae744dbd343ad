internal import SectionTable
internal import Synchronization

/// The end of a section that has a witness.
enum WitnessDetection {
  /// The longest text of a value in a report, in characters.
  private static let longestText = 200

  /// Ends a section with a witness, and reports a change that no marked writer can have made.
  ///
  /// A marked writer that overlapped the section has marked the section's record before it wrote
  /// (`ConflictDetection.noteOverlap`), and was reported as a separate conflict.
  static func end<Value: Equatable>(
    _ open: Registry.OpenSection, _ before: Value, _ after: Value, on resource: borrowing Resource,
    at site: borrowing Site
  ) {
    if before != after {
      // Acquire the mark that a writer made before it wrote the value just read.
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if open.record[.hasMet] == 0 { report(open, before, after, on: resource) }
    }
    Registry.end(open, on: resource, at: site)
  }

  @inline(never)
  private static func report<Value>(
    _ open: Registry.OpenSection, _ before: Value, _ after: Value, on resource: borrowing Resource
  ) {
    ConflictLog.shared.waitIfStopping()
    var overlap = Overlap(
      resource: resource.nameString, instance: resource.instanceDescription,
      first: Evidence(withPartOf: open.record), second: Evidence(unmarkedOn: open.key))
    overlap.witness = Conflict.Witness(before: text(before), after: text(after))
    ConflictLog.shared.add(overlap)
  }

  private static func text<Value>(_ value: Value) -> String {
    let text = String(describing: value)
    return text.count <= longestText ? text : text.prefix(longestText) + "…"
  }
}
