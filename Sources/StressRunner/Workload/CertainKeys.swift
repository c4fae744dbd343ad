/// The keys that have been stored in a stretch of the workload that is over, and that no call ever
/// removes: a cache that loses nothing has them.
struct CertainKeys: Sendable {
  private var isCertain: [Bool] = []
  private var isRemoved: [Bool] = []

  /// None: no key is certain, whatever is stored.
  static let none = CertainKeys()

  private init() {}

  /// What is certain when the preparation is over.
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

  /// Adds what is certain when a phase is over.
  mutating func addKeys(storedInPhase phase: Int, of plan: WorkloadPlan) {
    guard !isCertain.isEmpty else { return }
    plan.forEachCall(ofPhase: phase) { call in
      if call.kind.stores, !isRemoved[call.key] { isCertain[call.key] = true }
    }
  }

  /// Whether a key must be there.
  func contains(_ key: Int) -> Bool {
    key < isCertain.count && isCertain[key]
  }

  /// All of them, ascending.
  var all: [Int] {
    isCertain.indices.filter { isCertain[$0] }
  }
}
