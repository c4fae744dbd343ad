/// Where a running workload says how far it is: in a trial, memory that the parent reads.
///
/// Callers are numbered from 0 through all phases, so that no two phases share a number. Both
/// functions are called from any thread, and neither blocks nor allocates.
package protocol ProgressSink: Sendable {
  /// The caller is about to make its call number `operation` (from 0).
  func began(caller: Int, operation: Int)
  /// A call of this caller has completed.
  func completed(caller: Int)
}
