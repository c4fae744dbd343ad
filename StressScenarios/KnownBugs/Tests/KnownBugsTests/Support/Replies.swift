import Dispatch
import InterlockStress

/// Calls a subject, and returns its reply.
func reply(of subject: any Subject, to operation: InterlockStress.Operation) async -> Reply {
  await withCheckedContinuation { continuation in
    subject.perform(operation) { continuation.resume(returning: $0) }
  }
}

/// A subject's final state, read on a thread that is not of Swift's pool.
func finalState(of subject: any Subject) async -> FinalState? {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "final state").async {
      continuation.resume(returning: subject.finalState())
    }
  }
}
