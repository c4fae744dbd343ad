import Dispatch

/// Runs work that blocks on a thread of its own, so that no thread of a pool waits for it.
func onThread<Result: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    // A queue of its own has a thread of its own, beyond the width of the pool.
    DispatchQueue(label: "interlock.explore").async {
      do throws(Failure) {
        continuation.resume(returning: try work())
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
