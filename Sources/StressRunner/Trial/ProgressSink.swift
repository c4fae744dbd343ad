/// Receives a running workload's progress. In a trial, it writes to memory that the parent reads.
///
/// Callers are numbered from 0 across all phases, so no two phases share a number. Both functions
/// may be called from any thread, and neither blocks nor allocates.
package protocol ProgressSink: Sendable {
  /// Called when the caller is about to make its call number `operation` (from 0).
  func began(caller: Int, operation: Int)
  /// Called when a call of this caller has completed.
  func completed(caller: Int)
}
