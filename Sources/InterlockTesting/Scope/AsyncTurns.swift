/// Lets one task at a time work, in the order of arrival. Thread-safe.
final class AsyncTurns: Sendable {
  /// Serialises stress runs: near-miss delays and their seed are global to the process.
  static let ofStress = AsyncTurns()

  private typealias State = (isTaken: Bool, waiting: [CheckedContinuation<Void, Never>])
  private let state = Locked<State>((false, []))

  /// Waits until the calling task has the turn.
  func take() async {
    await withCheckedContinuation { arrival in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(arrival) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { arrival.resume() }
    }
  }

  /// Passes the turn on to the next task.
  func give() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.isTaken ? state.waiting.removeFirst() : nil
    }
    next?.resume()
  }
}
