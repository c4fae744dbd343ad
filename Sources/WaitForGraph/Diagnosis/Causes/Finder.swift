import Interlock

/// Finds a cause from the stuck threads, and formats it.
struct Finder {
  let liveness: Liveness
  let words: Wording

  var index: WaitIndex { liveness.index }
  /// Whether the stuck threads are stuck for certain.
  var isCertain: Bool { liveness.hope == .all }

  /// The most lines of details; the last one counts the rest.
  static let mostDetails = 40

  init(_ index: WaitIndex, hope: Liveness.Hope) {
    liveness = Liveness(index, hope: hope)
    words = Wording(index: index)
  }

  /// Whether a thread is stuck.
  func isStuck(_ thread: Int) -> Bool { WaitIndex.contains(thread, in: liveness.stuck) }

  /// A finding without details.
  func finding(_ cause: Diagnosis.Cause, _ headline: String) -> Finding {
    Finding(cause: cause, headline: headline)
  }

  /// Why the cause is not certain; `nil` if it is.
  var doubt: String? {
    switch liveness.hope {
    case .all: nil
    case .noGrowth:
      "not certain: the pool gets one thread more a second while all of its threads wait"
    case .none:
      Liveness.isTimerSet(index)
        ? "not certain: a timer is set, which may end it"
        : "not certain: something may run here that was not seen"
    }
  }

  /// The first lines; if there are too many, the last one counts the rest.
  static func limited(_ lines: [String], of total: Int? = nil, _ what: String) -> [String] {
    let total = total ?? lines.count
    guard total > mostDetails else { return lines }
    let shown = lines.prefix(mostDetails - 1)
    return shown + ["… and \(Counted.noun(total - shown.count, "more " + what))"]
  }
}

/// A cause as text, and its part of the graph.
struct Finding {
  var cause: Diagnosis.Cause
  var headline: String
  var details: [String] = []
  var advice: [String] = []
  /// The threads and objects of the cycle, or of the dry pool.
  var markedThreads: Set<Int> = []
  var markedObjects: Set<WaitIndex.ObjectID> = []
  /// Whether an idle process would look the same.
  var mayBeAtRest = false
  /// What a dry pool would need; `nil` for other causes, and if it is not known.
  var pool: PoolForecast?

  init(cause: Diagnosis.Cause, headline: String) {
    self.cause = cause
    self.headline = headline
  }
}
