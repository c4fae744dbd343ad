/// Finds a cause from the stuck threads.
struct Finder {
  let liveness: Liveness

  var index: WaitIndex { liveness.index }

  init(_ index: WaitIndex, hope: Liveness.Hope) {
    liveness = Liveness(index, hope: hope)
  }

  /// The stuck parties other than these threads.
  func others(than known: Set<Int>) -> [Diagnosis.Party] {
    index.parties(liveness.stuck.filter { !known.contains($0) })
  }
}

/// A cause, and its part of the graph.
struct FoundCause {
  var evidence: Diagnosis.Evidence
  var advice: Diagnosis.Advice?
  /// The threads and objects of the cycle, or of the dry pool.
  var markedThreads: Set<Int> = []
  var markedObjects: Set<WaitIndex.ObjectID> = []
  /// Whether an idle process would look the same.
  var mayBeAtRest = false

  init(_ evidence: Diagnosis.Evidence, advice: Diagnosis.Advice? = nil) {
    self.evidence = evidence
    self.advice = advice
  }
}

extension WaitIndex {
  /// The parties of some threads, by their positions.
  func parties(_ numbers: [Int]) -> [Diagnosis.Party] { numbers.map(party) }
}

extension WaitSnapshot.Wait {
  /// The object that is waited for.
  package var waited: Diagnosis.Object { Diagnosis.Object(kind, object) }
}
