/// Determines each caller's calls from the workload and the seed alone.
///
/// No data is stored per call, so a plan of a million calls costs no more than a plan of ten. Each
/// call is computed on request, on any thread.
struct WorkloadPlan: Sendable {
  /// A call: its kind and its key (from 0).
  struct Call: Sendable, Hashable {
    var kind: Operation.Kind
    var key: Int
  }

  let workload: Workload
  let seed: UInt64
  private let sampler: KeySampler

  init(_ workload: Workload, seed: UInt64) {
    self.workload = workload
    self.seed = seed
    sampler = KeySampler(keys: workload.keys, distribution: workload.distribution)
  }

  /// Call number `index` (from 0) of a caller. Callers are numbered from 0 in each phase. With a
  /// key per caller, a caller finds what the caller with the same number stored in the previous
  /// phase.
  func call(phase: Int, caller: Int, index: Int) -> Call {
    let operations = workload.phases[phase].operations
    let round = index / operations.callsPerRound
    var generator = SplitMix64(seed: seed, at: phase, caller, round)
    let key = sampler.key(for: caller, using: &generator)
    let kind =
      switch operations {
      case .sequence(let kinds): kinds[index % kinds.count]
      case .weighted(let weights): Self.kind(of: weights, using: &generator)
      }
    return Call(kind: kind, key: key)
  }

  /// Calls `body` with every call of a phase.
  func forEachCall(ofPhase phase: Int, _ body: (Call) -> Void) {
    for caller in 0..<workload.phases[phase].callers {
      for index in 0..<workload.phases[phase].callsPerCaller {
        body(call(phase: phase, caller: caller, index: index))
      }
    }
  }

  private static func kind(
    of weights: [Workload.Weight], using generator: inout SplitMix64
  ) -> Operation.Kind {
    var left = generator.next(below: weights.reduce(0) { $0 + $1.weight })
    for weight in weights {
      if left < weight.weight { return weight.kind }
      left -= weight.weight
    }
    preconditionFailure("a number below the sum of the weights lies within one of them")
  }
}

extension Workload {
  /// The kinds of calls that the workload makes, including its preparation. A subject must support
  /// them.
  package var kinds: Set<Operation.Kind> {
    var kinds: Set<Operation.Kind> = preparesAllKeys ? [.set] : []
    if let script { kinds.formUnion(script.allCalls.map(\.kind)) }
    for phase in phases {
      switch phase.operations {
      case .sequence(let sequence): kinds.formUnion(sequence)
      case .weighted(let weights): kinds.formUnion(weights.map(\.kind))
      }
    }
    return kinds
  }
}

extension Workload.Phase {
  /// The number of calls of each caller.
  var callsPerCaller: Int { rounds * operations.callsPerRound }
}

extension Workload.Operations {
  /// The number of calls of a caller in a round.
  var callsPerRound: Int {
    switch self {
    case .sequence(let kinds): kinds.count
    case .weighted: 1
    }
  }
}

extension Operation.Kind {
  /// True if a caller makes its next call before this one has completed.
  var isAsynchronous: Bool {
    switch self {
    case .getAsync, .setAsync, .removeAsync: true
    case .get, .set, .remove, .removeAll, .count, .action: false
    }
  }

  /// True if the call stores the operation's value.
  var stores: Bool { self == .set || self == .setAsync }

  /// True if the call reads a key.
  var reads: Bool { self == .get || self == .getAsync }

  /// True if the call removes a key.
  var removes: Bool { self == .remove || self == .removeAsync }
}

extension Workload {
  /// The first calls of a caller in a phase, for tools that replay a workload without running
  /// trials.
  ///
  /// - Parameters:
  ///   - phase: The phase's index.
  ///   - caller: The caller's number in the phase, from 0.
  ///   - seed: The seed of the operations and keys.
  ///   - limit: The most calls to return.
  /// - Returns: Kinds and keys (from 0), in the order of the calls.
  package func firstCalls(
    ofPhase phase: Int, caller: Int, seed: UInt64, limit: Int
  ) -> [(kind: Operation.Kind, key: Int)] {
    let plan = WorkloadPlan(self, seed: seed)
    return (0..<min(limit, phases[phase].callsPerCaller)).map { index in
      let call = plan.call(phase: phase, caller: caller, index: index)
      return (call.kind, call.key)
    }
  }
}
