/// Receives a running workload's progress: in a trial, memory that the parent reads.
///
/// Callers are numbered from 0 through all phases, so no two phases share a number. Both functions
/// may be called from any thread, and neither blocks nor allocates.
package protocol ProgressSink: Sendable {
  /// The caller is about to make its call number `operation` (from 0).
  func began(caller: Int, operation: Int)
  /// A call of this caller has completed.
  func completed(caller: Int)
}
