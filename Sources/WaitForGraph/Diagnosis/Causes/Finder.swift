import Interlock

/// What a cause was found from: the threads that are stuck, and how they are called.
struct Finder {
  let liveness: Liveness
  let words: Wording

  var index: WaitIndex { liveness.index }
  /// Whether the stuck threads are stuck for certain.
  var isCertain: Bool { liveness.hope == .all }

  /// The most lines of details: more are counted.
  static let mostDetails = 40

  init(_ index: WaitIndex, hope: Liveness.Hope) {
    liveness = Liveness(index, hope: hope)
    words = Wording(index: index)
  }

  /// Whether a thread is stuck.
  func isStuck(_ thread: Int) -> Bool { WaitIndex.contains(thread, in: liveness.stuck) }

  /// What was found, without the graph.
  func finding(_ cause: Diagnosis.Cause, _ headline: String) -> Finding {
    Finding(cause: cause, headline: headline)
  }

  /// Why it is not certain; `nil` where it is.
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

  /// Lines, and how many more there are where there are many.
  static func limited(_ lines: [String], of total: Int? = nil, _ what: String) -> [String] {
    let total = total ?? lines.count
    guard total > mostDetails else { return lines }
    let shown = lines.prefix(mostDetails - 1)
    return shown + ["… and \(Counted.noun(total - shown.count, "more " + what))"]
  }
}

/// A cause in words, and which part of the graph it is about.
struct Finding {
  var cause: Diagnosis.Cause
  var headline: String
  var details: [String] = []
  var advice: [String] = []
  /// The threads and objects that are the cycle, or the pool that is dry.
  var markedThreads: Set<Int> = []
  var markedObjects: Set<WaitIndex.ObjectID> = []
  /// Whether a process that has nothing to do would look the same.
  var mayBeAtRest = false
  /// What becomes of the pool that is dry, where that is the cause and it can be told.
  var pool: PoolForecast?

  init(cause: Diagnosis.Cause, headline: String) {
    self.cause = cause
    self.headline = headline
  }
}
