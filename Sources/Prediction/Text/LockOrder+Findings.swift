import HangReports
import Interlock

extension LockOrder {
  /// The most findings. Cycles that differ only in the instances of the same locks count as one.
  private static let mostFindings = 100

  /// One finding for each cycle.
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
    let edges = kept.flatMap(\.cycle.edges)
    let ends = Set(edges.flatMap { [$0.from, $0.to] })
    let names = Names(
      of: Set(kept.flatMap { addresses(of: $0.cycle) }),
      locks: ends.sorted().compactMap { locks[$0] },
      takenAt: edges.flatMap { [$0.fromPlace, $0.toPlace] })
    return kept.map { finding($0.cycle, count: $0.count, names) }
  }

  private func addresses(of cycle: Cycle) -> [UInt] {
    cycle.edges.flatMap { edge -> [UInt] in
      let created = [edge.from, edge.to].flatMap { locks[$0]?.makersAndMade ?? [] }
      let signal = edge.signal.map { [$0.created, $0.place] } ?? []
      return edge.fromPlace + edge.toPlace + edge.actor.stack
        + (created + signal).filter { $0 != 0 }
    }
  }

  private func finding(_ cycle: Cycle, count: Int, _ names: Names) -> PotentialFinding {
    let all = cycle.edges.compactMap { locks[$0.from] }
    func name(_ index: Int) -> String {
      locks[index].map { names.lock($0, besides: all) } ?? "a lock"
    }
    let headline = headline(cycle, names, name)
    let sides = cycle.edges.map { edge in
      let isHeld = edge.from != edge.to || edge.fromIsShared || edge.signal != nil
      return PotentialFinding.Side(
        party: names.party(edge.actor),
        act: edge.signal.map { "waits for \(names.signal($0))" }
          ?? Self.act(edge, locks[edge.to]?.kind, name(edge.to)),
        place: names.frames(edge.toPlace), stack: names.frames(edge.actor.stack),
        held: isHeld
          ? [.init(object: name(edge.from), place: names.frames(edge.fromPlace))] : [])
    }
    let signallers = cycle.edges.compactMap { edge in
      edge.signal.map { signal in
        PotentialFinding.Side(
          party: "thread \(signal.thread)", act: "signals \(names.signal(signal))",
          place: names.frames([signal.place].filter { $0 != 0 }),
          held: [.init(object: name(edge.to), place: [])])
      }
    }
    return PotentialFinding(
      kind: .lockOrder, headline: headline, sides: sides + signallers, count: count)
  }

  private func headline(_ cycle: Cycle, _ names: Names, _ name: (Int) -> String) -> String {
    let first = cycle.edges[0]
    func at(_ edge: Edge) -> String { PlaceText.at(names.callers(edge.toPlace, edge.actor)) }
    if first.from == first.to, let signal = first.signal {
      return "\(names.signal(signal)) is waited for under \(name(first.from)), and signalled only"
        + " under that\(PlaceText.at(names.frames([signal.place]))): the wait\(at(first)) may keep"
        + " its signaller out"
    }
    if first.from == first.to {
      return "\(name(first.from)) is read twice by one thread\(at(first)): a writer in between"
        + "\(at(cycle.edges[1])) waits for the first read, and the second read for the writer"
    }
    let steps = cycle.edges.map { edge in
      let signal = edge.signal.map { names.signal($0) + ", which is signalled only under " } ?? ""
      return "\(name(edge.from)) and then \(signal)\(name(edge.to))\(at(edge))"
    }
    let number = cycle.edges.count
    let order =
      number == 2
      ? "two locks are taken in both orders: " : "\(number) locks are taken in a cycle: "
    return order + steps.joined(separator: "; ")
  }

  private static func act(_ edge: Edge, _ kind: LockKind?, _ name: String) -> String {
    if edge.from == edge.to {
      if edge.toIsShared {
        return (kind == .queue ? "syncs on " : "reads under ") + "\(name) again"
      }
      if kind == .queue { return "enqueues a barrier on \(name)" }
    }
    return switch kind {
    case .queue: edge.toIsShared ? "syncs on \(name)" : "syncs on \(name), alone"
    case .readWriteLock: (edge.toIsShared ? "reads under " : "writes under ") + name
    case .semaphore: "waits at \(name)"
    case .mutex, .swiftMutex, nil: "takes \(name)"
    }
  }
}
