internal import CInterlockExplorer
import Interlock

/// The memory order of an atomic operation; the raw value is its number in C.
package enum MemoryOrder: Int32, Sendable, Hashable, Codable {
  case relaxed = 0
  case acquiring = 2
  case releasing
  case acquiringAndReleasing
  case sequentiallyConsistent

  /// The valid orders of an operation that are at least as strong, the weakest first.
  func andStronger(reads: Bool, writes: Bool) -> [MemoryOrder] {
    let orders: [MemoryOrder] =
      switch (reads, writes) {
      case (true, false): [.relaxed, .acquiring]
      case (false, true): [.relaxed, .releasing]
      default: [.relaxed, .acquiring, .releasing, .acquiringAndReleasing]
      }
    let stronger = orders.filter { order in
      switch (self, order) {
      case (.relaxed, _), (_, .acquiringAndReleasing): true
      default: self == order
      }
    }
    return (self == .sequentiallyConsistent ? [] : stronger) + [.sequentiallyConsistent]
  }

  /// The strongest valid orders that are weaker.
  func oneStepWeaker(reads: Bool, writes: Bool) -> [MemoryOrder] {
    switch (self, reads, writes) {
    case (.relaxed, _, _): []
    case (.acquiring, _, _), (.releasing, _, _): [.relaxed]
    case (.acquiringAndReleasing, _, _): [.acquiring, .releasing]
    case (.sequentiallyConsistent, true, false): [.acquiring]
    case (.sequentiallyConsistent, false, true): [.releasing]
    case (.sequentiallyConsistent, _, _): [.acquiringAndReleasing]
    }
  }
}

/// An atomic operation of a schedule, by its call site.
private struct AtomicCall {
  var address: UInt
  var order: MemoryOrder
  var reads: Bool
  var writes: Bool
  var place: StackFrame?
}

extension Exploration {
  /// Finds the weakest memory orders with which every order of the body passes, and returns lines
  /// that show where they differ from the code's.
  ///
  /// Starts with all operations of the failing schedule sequentially consistent, and weakens one at
  /// a time while every order passes. No single remaining memory order can be weaker. The search
  /// takes at most two seconds.
  func missingMemoryOrders(
    in result: interlock_exploration_result, _ engine: Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> [String] {
    guard options.memoryModel == .weak else { return [] }
    let calls = Self.atomicCalls(of: result)
    guard calls.contains(where: { $0.order != .sequentiallyConsistent }) else { return [] }
    let end = ContinuousClock.now + .seconds(2)
    var orders = Dictionary(
      uniqueKeysWithValues: calls.map { ($0.address, MemoryOrder.sequentiallyConsistent) })
    guard try passes(with: orders, engine, body) else {
      return ["no memory order is missing: it fails with sequentially consistent atomics, too"]
    }
    for call in calls {
      for order in call.order.andStronger(reads: call.reads, writes: call.writes).dropLast() {
        if ContinuousClock.now > end { break }
        var weaker = orders
        weaker[call.address] = order
        if try !passes(with: weaker, engine, body) { continue }
        orders = weaker
        break
      }
    }
    let missing = calls.filter { orders[$0.address] != $0.order }
    let lines = missing.map { call in
      let place = call.place.flatMap(Schedule.shortPlace) ?? "an unknown place"
      return ".\(orders[call.address] ?? call.order) in place of .\(call.order)  \(place)"
    }
    return ["every order passes with these memory orders:"] + lines.map { "  " + $0 }
  }

  /// A memory order that was weakened by one step.
  package struct WeakenedOrder: Sendable {
    /// The place of the operation, with the weaker and the original order.
    package var description: String
    /// True if an order of the body fails with the weaker memory order.
    package var isFound: Bool
  }

  /// Weakens the memory order of each atomic operation by one step, one operation at a time. The
  /// body must pass in every order. The operations are those of the body's first order.
  package func weakenedOrders(
    _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> [WeakenedOrder] {
    try Self.inTurn { _ throws(ExplorationRefusal) in
      var engine = Engine(options, of: name, around: around, state: state)
      guard try engine.run(.everyOrder(seconds: options.seconds), body).failures == 0 else {
        throw ExplorationRefusal(description: "the body fails as it is")
      }
      let calls = Self.atomicCalls(of: try engine.look(at: [], bodyIsTask: bodyIsTask, body).0)
      var weakened: [WeakenedOrder] = []
      for call in calls {
        for order in call.order.oneStepWeaker(reads: call.reads, writes: call.writes) {
          let place = call.place.flatMap(Schedule.shortPlace) ?? "an unknown place"
          let isFound = try !passes(with: [call.address: order], engine, body)
          weakened.append(
            WeakenedOrder(
              description: ".\(order) in place of .\(call.order)  \(place)", isFound: isFound))
        }
      }
      return weakened
    }
  }

  private func passes(
    with orders: [UInt: MemoryOrder], _ engine: Engine, _ body: @escaping () -> Bool
  ) throws(ExplorationRefusal) -> Bool {
    var options = options
    options.memoryOrders = orders
    options.executions = nil
    var engine = Engine(
      options, of: name, around: around, state: state, facts: engine.facts, points: engine.points)
    let result = try engine.run(.everyOrder(seconds: 0.5), body)
    return result.failures == 0 && result.is_complete && engine.escaped.isEmpty
  }

  /// The atomic operations of a trace, one for each call site.
  private static func atomicCalls(of result: interlock_exploration_result) -> [AtomicCall] {
    var calls: [AtomicCall] = []
    var lines = LinesOfPlaces()
    for step in UnsafeBufferPointer(start: result.trace, count: result.trace_count)
    where step.memory_order > 0 {
      let address = UInt(step.place)
      if let known = calls.firstIndex(where: { $0.address == address }) {
        calls[known].writes = calls[known].writes || step.writes_value
        continue
      }
      guard let order = MemoryOrder(rawValue: Int32(step.memory_order) - 1) else { continue }
      calls.append(
        AtomicCall(
          address: address, order: order, reads: step.reads_value, writes: step.writes_value,
          place: lines.frame(of: [address, UInt(step.caller)])))
    }
    return calls
  }
}
