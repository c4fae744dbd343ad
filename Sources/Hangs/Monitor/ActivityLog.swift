import CInterlockAnalysis

/// Samples of the threads' activity in the last seconds. Used only on the monitor's thread.
struct ActivityLog {
  /// The number of samples kept, enough for ten seconds.
  private static let mostLooks = 250
  /// The most threads with an activity in a report.
  private static let mostThreads = 64
  static let mostInspected = 512

  private struct State: Equatable {
    var kind: UInt32
    var object: UInt
  }

  private var looks: [(seconds: Double, states: [Int: State])] = []

  /// Adds a sample of every thread; `nil` if there are more than `mostInspected`.
  mutating func note(_ views: [interlock_thread_view]?, at seconds: Double) {
    guard let views else {
      looks.removeAll()
      return
    }
    var states: [Int: State] = [:]
    for view in views {
      states[Int(view.number)] = State(kind: view.wait_kind, object: view.wait_object)
    }
    if looks.count == Self.mostLooks { looks.removeFirst() }
    looks.append((seconds, states))
  }

  /// The last seconds of these threads as stretches of time.
  func activity(of threads: [Int], at now: Double) -> [WaitSnapshot.Activity] {
    threads.prefix(Self.mostThreads).compactMap { thread in
      var spans: [(state: State, from: Double, to: Double)] = []
      for look in looks {
        guard let state = look.states[thread] else { continue }
        if let last = spans.indices.last, spans[last].state == state {
          spans[last].to = look.seconds
        } else {
          spans.append((state, spans.last?.to ?? look.seconds, look.seconds))
        }
      }
      guard !spans.isEmpty else { return nil }
      return WaitSnapshot.Activity(
        thread: thread,
        spans: spans.map { span in
          let kind = SnapshotTaker.kind(span.state.kind)
          return WaitSnapshot.Activity.Span(
            from: now - span.from, to: now - span.to, kind: kind,
            object: kind == nil ? 0 : span.state.object)
        })
    }
  }
}
