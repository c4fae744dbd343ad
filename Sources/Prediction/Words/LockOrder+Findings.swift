import Interlock
import WaitGraph

extension LockOrder {
  /// So many are told; cycles that differ in nothing but which locks of a kind they are of count as one.
  private static let mostFindings = 100

  /// A finding for each cycle.
  func findings(of cycles: [Cycle]) -> [PotentialFinding] {
    var seen: [Set<[UInt]>: Int] = [:]
    var kept: [(cycle: Cycle, count: Int)] = []
    for cycle in cycles {
      let places = Set(cycle.edges.map { $0.fromPlace + [0] + $0.toPlace })
      if let index = seen[places] {
        kept[index].count += 1
      } else if kept.count < Self.mostFindings {
        seen[places] = kept.count
        kept.append((cycle, 1))
      }
    }
    let names = Names(of: Set(kept.flatMap { addresses(of: $0.cycle) }))
    return kept.map { finding($0.cycle, count: $0.count, names) }
  }

  private func addresses(of cycle: Cycle) -> [UInt] {
    cycle.edges.flatMap { edge -> [UInt] in
      let created = [edge.from, edge.to].compactMap { locks[$0]?.created }.filter { $0 != 0 }
      return edge.fromPlace + edge.toPlace + edge.actor.stack + created
    }
  }

  private func finding(_ cycle: Cycle, count: Int, _ names: Names) -> PotentialFinding {
    let all = cycle.edges.compactMap { locks[$0.from] }
    func name(_ index: Int) -> String {
      locks[index].map { names.lock($0, besides: all) } ?? "a lock"
    }
    let sides = cycle.edges.map { edge in
      PotentialFinding.Side(
        who: names.who(edge.actor), act: Self.act(edge, locks[edge.to]?.kind, name(edge.to)),
        place: names.frames(edge.toPlace), stack: names.frames(edge.actor.stack),
        held: [.init(object: name(edge.from), place: names.frames(edge.fromPlace))])
    }
    let steps = cycle.edges.map { edge in
      "\(name(edge.from)) and then \(name(edge.to))" + Wording.at(names.frames(edge.toPlace))
    }
    let number = cycle.edges.count
    let order =
      number == 2
      ? "two locks are taken in both orders: " : "\(number) locks are taken in a ring: "
    return PotentialFinding(
      kind: .lockOrder, headline: order + steps.joined(separator: "; "), sides: sides, count: count)
  }

  private static func act(_ edge: Edge, _ kind: LockKind?, _ name: String) -> String {
    switch kind {
    case .queue: edge.toIsShared ? "syncs on \(name)" : "syncs on \(name), alone"
    case .readWriteLock: (edge.toIsShared ? "reads under " : "writes under ") + name
    case .semaphore: "waits at \(name)"
    case .mutex, .swiftMutex, nil: "takes \(name)"
    }
  }
}
