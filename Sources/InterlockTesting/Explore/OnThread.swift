import Dispatch

/// Runs blocking work on a separate thread, so that it does not block a thread of a pool.
func onThread<Result: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    // A serial queue gets a thread beyond the width of the pool.
    DispatchQueue(label: "interlock.explore").async {
      do throws(Failure) {
        continuation.resume(returning: try work())
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
