/// The outcomes that the axioms of RC11 allow, with the release sequences of C++20. Judges every
/// choice of the store that each operation reads, and every order of the stores, by the relations
/// of the paper. Shares no code with the explorer.
struct WeakAxioms {
  typealias Relation = [UInt32]

  private struct Event {
    var thread: Int
    var operation: WeakProgram.Operation?
    var location: Int?
    var reads = false
    var writes = false
    var order = WeakProgram.Order.relaxed
    var source: Int?
    var value = 0
    var found = 0
  }

  private let program: WeakProgram
  private var events: [Event]
  private(set) var outcomes: Set<[Int]> = []
  /// The number of consistent graphs.
  private(set) var graphs = 0

  static let words = 3

  init(_ program: WeakProgram) {
    self.program = program
    events = (0..<Self.words).map { Event(thread: -1, location: $0, writes: true) }
    for (thread, operations) in program.threads.enumerated() {
      for operation in operations {
        events.append(Event(thread: thread, operation: operation, location: operation.location))
      }
    }
    chooseSources(of: Self.words)
  }

  private static func mayRead(_ operation: WeakProgram.Operation) -> Bool {
    switch operation {
    case .load, .add, .exchange: true
    default: false
    }
  }

  private static func mayWrite(_ operation: WeakProgram.Operation?) -> Bool {
    switch operation {
    case .store, .add, .exchange, nil: true
    default: false
    }
  }

  private mutating func chooseSources(of index: Int) {
    guard index < events.count else { return judgeSources() }
    let event = events[index]
    guard let operation = event.operation, Self.mayRead(operation) else {
      return chooseSources(of: index + 1)
    }
    for source in events.indices where source != index {
      guard events[source].location == event.location, Self.mayWrite(events[source].operation)
      else { continue }
      events[index].source = source
      chooseSources(of: index + 1)
    }
  }

  /// Computes values in an order of the program and of reads-from; `nil` if these have a cycle.
  private func valued() -> [Event]? {
    var valued = events
    var isDone = events.map { $0.thread < 0 }
    var left = isDone.count { !$0 }
    while left > 0 {
      let before = left
      for index in valued.indices where !isDone[index] {
        let isNext = !valued.indices.contains {
          $0 < index && valued[$0].thread == valued[index].thread && !isDone[$0]
        }
        if !isNext { continue }
        if let source = valued[index].source {
          guard isDone[source] else { continue }
          guard valued[source].writes else { return nil }
          valued[index].found = valued[source].value
        }
        Self.perform(&valued[index])
        isDone[index] = true
        left -= 1
      }
      if left == before { return nil }
    }
    return valued
  }

  private static func perform(_ event: inout Event) {
    switch event.operation {
    case .load(_, let order): (event.reads, event.order) = (true, order)
    case .store(_, let value, let order):
      (event.writes, event.value, event.order) = (true, value, order)
    case .add(_, let order):
      (event.reads, event.writes, event.order) = (true, true, order)
      event.value = event.found + 1
    case .exchange(_, let old, let new, let order, let failure):
      event.reads = true
      event.writes = event.found == old
      (event.value, event.order) = (new, event.writes ? order : failure)
    case .fence(let order): event.order = order
    case nil: break
    }
  }

  private mutating func judgeSources() {
    guard let valued = valued() else { return }
    var orders: [[Int]] = [[]]
    for location in 0..<Self.words {
      let stores = valued.indices.filter {
        valued[$0].location == location && valued[$0].writes && valued[$0].thread >= 0
      }
      let permuted = Self.permutations(stores).map { [location] + $0 }
      orders = orders.flatMap { order in permuted.map { order + $0 } }
    }
    for order in orders where Self.isConsistent(valued, order) {
      graphs += 1
      var outcome = valued.filter(\.reads).map(\.found)
      for location in 0..<Self.words {
        outcome.append(valued[order.last { valued[$0].location == location }!].value)
      }
      outcomes.insert(outcome)
    }
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    if items.isEmpty { return [[]] }
    return items.indices.flatMap { index in
      var rest = items
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  // Relations: a row of bits for each event.

  private static func relation(_ count: Int, _ holds: (Int, Int) -> Bool) -> Relation {
    (0..<count).map { a in
      (0..<count).reduce(into: UInt32(0)) { bits, b in if holds(a, b) { bits |= 1 << b } }
    }
  }

  private static func then(_ one: Relation, _ other: Relation) -> Relation {
    one.map { row in
      other.indices.reduce(into: UInt32(0)) { bits, b in
        if row >> b & 1 == 1 { bits |= other[b] }
      }
    }
  }

  private static func or(_ relations: Relation...) -> Relation {
    relations[0].indices.map { index in relations.reduce(0) { $0 | $1[index] } }
  }

  private static func closed(_ relation: Relation) -> Relation {
    var closed = relation
    for middle in closed.indices {
      for a in closed.indices where closed[a] >> middle & 1 == 1 { closed[a] |= closed[middle] }
    }
    return closed
  }

  private static func identity(_ count: Int, _ holds: (Int) -> Bool) -> Relation {
    relation(count) { $0 == $1 && holds($0) }
  }

  private static func isIrreflexive(_ relation: Relation) -> Bool {
    !relation.indices.contains { relation[$0] >> $0 & 1 == 1 }
  }

  private static func isConsistent(_ events: [Event], _ order: [Int]) -> Bool {
    let count = events.count
    var place = events.map { _ in 0 }
    for (index, event) in order.enumerated() { place[event] = index }
    func isSame(_ a: Int, _ b: Int) -> Bool {
      events[a].location != nil && events[a].location == events[b].location
    }
    func isFence(_ a: Int) -> Bool { events[a].location == nil }
    let all = identity(count) { _ in true }
    let sb = relation(count) { a, b in
      events[a].thread < 0
        ? events[b].thread >= 0 : events[a].thread == events[b].thread && a < b
    }
    let rf = relation(count) { a, b in events[b].reads && events[b].source == a }
    let mo = relation(count) { a, b in
      events[a].writes && events[b].writes && isSame(a, b) && place[a] < place[b]
    }
    let back = relation(count) { a, b in events[a].reads && events[a].source == b }
    let fr = then(back, mo).enumerated().map { $1 & ~(UInt32(1) << $0) }
    let rmw = identity(count) { events[$0].reads && events[$0].writes }

    // Happens-before.
    let sequence = or(all, closed(then(rf, rmw)))
    let releasing = identity(count) { events[$0].order.releases }
    let acquiring = identity(count) { events[$0].order.acquires }
    let stores = identity(count) { events[$0].writes && !isFence($0) }
    let loads = identity(count) { events[$0].reads && !isFence($0) }
    let fences = identity(count, isFence)
    let fromFence = or(all, then(fences, sb)), toFence = or(all, then(sb, fences))
    let sw = then(
      then(then(then(releasing, fromFence), stores), then(sequence, rf)),
      then(then(loads, toFence), acquiring))
    let hb = closed(or(sb, sw))
    let eco = closed(or(rf, mo, fr))
    // A read-write operation is one event here, so its own order is part of eco.
    guard isIrreflexive(hb), isIrreflexive(eco), isIrreflexive(then(hb, eco)) else { return false }
    guard isIrreflexive(then(then(fr, mo), rmw)) else { return false }

    // The order of sequentially consistent events.
    let elsewhere = relation(count) { a, b in sb[a] >> b & 1 == 1 && !isSame(a, b) }
    let here = relation(count) { a, b in hb[a] >> b & 1 == 1 && isSame(a, b) }
    let scb = or(sb, then(then(elsewhere, hb), elsewhere), here, mo, fr)
    let sequential = identity(count) { events[$0].order == .sequential && events[$0].thread >= 0 }
    let fence = then(sequential, fences)
    let maybe = or(all, hb)
    let base = then(
      then(or(sequential, then(fence, maybe)), scb), or(sequential, then(maybe, fence)))
    let ofFences = then(then(fence, or(hb, then(then(hb, eco), hb))), fence)
    return isIrreflexive(closed(or(base, ofFences)))
  }
}
