extension LockOrder {
  /// The limits of the search: the most locks in a cycle, and the most steps in total.
  private static let longest = 8
  private static let mostSteps = 500_000

  /// A cycle of edges: each edge begins at the lock at which the previous one ends, and the first
  /// edge at the lock at which the last one ends.
  package struct Cycle: Sendable, Hashable {
    package var edges: [Edge]
  }

  /// The cycles that can deadlock, the shortest first. Each edge of such a cycle has an owner of
  /// its own, no common lock guards two edges, and no two owners share the lock at which their
  /// edges meet.
  ///
  /// Cycles consist of locks, not of lock classes: two accounts that are always locked in the order
  /// of their numbers form no cycle. A lock is left out if its address may have been used by two
  /// locks in turn.
  ///
  /// - Returns: The cycles, and whether the search was complete.
  package func cycles() -> (found: [Cycle], isComplete: Bool) {
    var search = Search(self)
    search.run()
    return (
      search.found.sorted { $0.edges.count < $1.edges.count }, search.steps < Self.mostSteps
    )
  }

  /// The waits of an owner for itself: a thread that reads twice under a lock that prefers writers,
  /// or that waits under a lock for a signal which is only sent under the same lock.
  package func loops() -> [Cycle] {
    let certain = edges.filter { $0.from == $0.to && locks[$0.from]?.isCertain ?? false }
    let signals = certain.filter { $0.signal != nil }.map { Cycle(edges: [$0]) }
    let plain = Dictionary(grouping: certain.filter { $0.signal == nil }, by: \.from)
    let reads = plain.sorted { $0.key < $1.key }.flatMap { _, edges in
      edges.filter(\.fromIsShared).compactMap { read in
        edges.first { write in
          !write.fromIsShared && !Search.exclude(read, write) && Search.haveOwners([read, write])
        }.map { Cycle(edges: [read, $0]) }
      }
    }
    return signals + reads
  }

  /// The number of cycles and loops that only gates which another thread has released keep from the
  /// results of `cycles()` and `loops()`.
  package func undecidedCount() -> Int {
    guard edges.contains(where: { !$0.releasedGates.isEmpty }) else { return 0 }
    func rings(_ order: LockOrder) -> Set<[Int]> {
      Set((order.cycles().found + order.loops()).map { $0.edges.map(\.from) })
    }
    var others = self
    for index in others.edges.indices {
      let released = others.edges[index].releasedGates
      others.edges[index].gates = others.edges[index].gates.filter { !released.contains($0.key) }
    }
    return rings(others).subtracting(rings(self)).count
  }

  /// A walk along the edges from each lock, only through locks with a greater index, which finds
  /// each cycle once.
  private struct Search {
    let next: [Int: [Int: [Edge]]]
    var found: [Cycle] = []
    var steps = 0

    init(_ order: LockOrder) {
      var next: [Int: [Int: [Edge]]] = [:]
      func isCertain(_ lock: Int) -> Bool { order.locks[lock]?.isCertain ?? false }
      let edges = order.edges.filter {
        $0.from != $0.to && isCertain($0.from) && isCertain($0.to)
      }
      // Sort edges of two acquired locks first: they are better evidence than edges through a
      // signal.
      let kept = Self.withoutEnds(edges)
      for edge in kept.filter({ $0.signal == nil }) + kept.filter({ $0.signal != nil }) {
        next[edge.from, default: [:]][edge.to, default: []].append(edge)
      }
      self.next = next
    }

    /// Removes edges at locks without an incoming or without an outgoing edge, until no such lock
    /// remains. That removes all locks that every owner acquires in one order.
    private static func withoutEnds(_ edges: [Edge]) -> [Edge] {
      var kept = edges
      for isForward in [true, false] {
        func begin(_ edge: Edge) -> Int { isForward ? edge.from : edge.to }
        func end(_ edge: Edge) -> Int { isForward ? edge.to : edge.from }
        let leaving = Dictionary(grouping: kept, by: begin)
        var arriving: [Int: Int] = [:]
        for edge in kept { arriving[end(edge), default: 0] += 1 }
        var ends = leaving.keys.filter { arriving[$0] == nil }
        var gone: Set<Int> = []
        while let lock = ends.popLast() {
          gone.insert(lock)
          for edge in leaving[lock] ?? [] {
            arriving[end(edge), default: 1] -= 1
            if arriving[end(edge)] == 0 { ends.append(end(edge)) }
          }
        }
        kept.removeAll { gone.contains($0.from) || gone.contains($0.to) }
      }
      return kept
    }

    mutating func run() {
      // Search short cycles first, so that the limit leaves out long ones.
      for length in 2...LockOrder.longest {
        for start in next.keys.sorted() { walk([start], upTo: length) }
      }
    }

    private mutating func walk(_ path: [Int], upTo length: Int) {
      guard let start = path.first, let last = path.last, steps < LockOrder.mostSteps else {
        return
      }
      steps += 1
      guard path.count < length else {
        if next[last]?[start] != nil, let edges = choose(path + [start], []) {
          found.append(Cycle(edges: edges))
        }
        return
      }
      for lock in (next[last] ?? [:]).keys.sorted() where lock > start && !path.contains(lock) {
        walk(path + [lock], upTo: length)
      }
    }

    /// One edge for each step of a ring, such that all edges can happen at once; `nil` if
    /// impossible.
    private func choose(_ ring: [Int], _ chosen: [Edge]) -> [Edge]? {
      let index = chosen.count
      guard index + 1 < ring.count else {
        return Self.meet(chosen[index - 1], chosen[0]) && Self.haveOwners(chosen) ? chosen : nil
      }
      for edge in next[ring[index]]?[ring[index + 1]] ?? [] {
        guard chosen.allSatisfy({ !Self.exclude($0, edge) }) else { continue }
        if let before = chosen.last, !Self.meet(before, edge) { continue }
        if let all = choose(ring, chosen + [edge]) { return all }
      }
      return nil
    }

    /// True if the owner that acquires the first edge's lock would wait for the owner that holds it
    /// on the second edge.
    private static func meet(_ taking: Edge, _ holding: Edge) -> Bool {
      !(taking.toIsShared && holding.fromIsShared)
    }

    /// True if a common lock prevents the two owners from holding their edges at the same time.
    fileprivate static func exclude(_ one: Edge, _ other: Edge) -> Bool {
      one.gates.contains { lock, isShared in
        guard let otherIsShared = other.gates[lock] else { return false }
        return !(isShared && otherIsShared)
      }
    }

    /// True if each edge can have an owner of its own.
    fileprivate static func haveOwners(_ edges: [Edge]) -> Bool {
      func assign(_ index: Int, _ taken: Set<UInt64>) -> Bool {
        guard index < edges.count else { return true }
        if edges[index].hasManyOwners { return assign(index + 1, taken) }
        return edges[index].owners.contains { owner in
          !taken.contains(owner) && assign(index + 1, taken.union([owner]))
        }
      }
      return assign(0, [])
    }
  }
}
