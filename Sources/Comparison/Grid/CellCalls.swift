package import StressRunner

/// The calls of a workload's callers.
package struct CellCalls: Sendable {
  /// How many calls are drawn for a caller, which repeats them.
  static let ringCount = 4096

  /// A ring for each caller.
  package var rings: [CallRing]

  /// Draws calls by a cell's reads, keys and distribution. The same cell and seed give the same
  /// calls.
  package init(_ cell: Cell, seed: UInt64) {
    let sampler = KeySampler(keys: cell.keys, distribution: cell.distribution)
    rings = (0..<cell.threads).map { caller in
      var generator = SplitMix64(seed: seed, at: caller)
      return CallRing(
        (0..<Self.ringCount).map { _ in
          let isRead = generator.next(below: 100) < cell.reads
          return Call(kind: isRead ? 0 : 1, key: sampler.key(for: caller, using: &generator))
        })
    }
  }

  /// Takes the calls of a scenario's workload, from the phase with the most calls.
  ///
  /// - Returns: `nil` if the workload is a script, or has calls that caches lack.
  package init?(_ workload: Workload, seed: UInt64) {
    guard let phase = Self.measuredPhase(of: workload) else { return nil }
    var rings: [CallRing] = []
    for caller in 0..<workload.phases[phase].callers {
      let planned = workload.firstCalls(
        ofPhase: phase, caller: caller, seed: seed, limit: Self.ringCount)
      var calls: [Call] = []
      for call in planned {
        guard let kind = CacheCall(call.kind) else { return nil }
        calls.append(Call(kind: kind.rawValue, key: call.key))
      }
      if calls.isEmpty { return nil }
      rings.append(CallRing(calls))
    }
    self.rings = rings
  }

  /// The number of the phase with the most calls; `nil` if the workload is a script.
  package static func measuredPhase(of workload: Workload) -> Int? {
    guard workload.script == nil else { return nil }
    return workload.phases.indices.max { one, other in
      calls(workload.phases[one]) < calls(workload.phases[other])
    }
  }

  private static func calls(_ phase: Workload.Phase) -> Int {
    let each =
      switch phase.operations {
      case .sequence(let kinds): kinds.count
      case .weighted: 1
      }
    return phase.callers * phase.rounds * each
  }
}
