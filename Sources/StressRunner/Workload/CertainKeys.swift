/// The keys that were stored in a finished part of the workload and that no call ever removes. A
/// cache that loses nothing still has them.
struct CertainKeys: Sendable {
  private var isCertain: [Bool] = []
  private var isRemoved: [Bool] = []

  /// A value without certain keys, whatever is stored.
  static let none = CertainKeys()

  private init() {}

  /// Creates the keys that are certain after the preparation.
  init(afterPreparationOf plan: WorkloadPlan) {
    let workload = plan.workload
    let kinds = workload.kinds
    isRemoved = [Bool](repeating: kinds.contains(.removeAll), count: workload.keys)
    isCertain = [Bool](repeating: false, count: workload.keys)
    if kinds.contains(where: \.removes) {
      for phase in workload.phases.indices {
        plan.forEachCall(ofPhase: phase) { if $0.kind.removes { isRemoved[$0.key] = true } }
      }
    }
    if workload.preparesAllKeys {
      for key in isCertain.indices { isCertain[key] = !isRemoved[key] }
    }
  }

  /// Adds the keys that are certain after a phase.
  mutating func addKeys(storedInPhase phase: Int, of plan: WorkloadPlan) {
    guard !isCertain.isEmpty else { return }
    plan.forEachCall(ofPhase: phase) { call in
      if call.kind.stores, !isRemoved[call.key] { isCertain[call.key] = true }
    }
  }

  /// True if a key must be present.
  func contains(_ key: Int) -> Bool {
    key < isCertain.count && isCertain[key]
  }

  /// All certain keys, ascending.
  var all: [Int] {
    isCertain.indices.filter { isCertain[$0] }
  }
}
