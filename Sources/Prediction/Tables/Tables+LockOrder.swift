import CInterlockAnalysis
import CInterlockEvents

/// Converts the tables of the C readers to values.
enum Tables {
  /// The recorded orders of all locks.
  static func lockOrder() -> LockOrder {
    var order = LockOrder()
    // Read the number of edges first: an edge's locks are numbered before the edge.
    let edges = interlock_order_edge_count()
    for index in 0..<interlock_order_lock_count() {
      var view = interlock_order_lock()
      guard interlock_order_lock_at(index, &view), let kind = LockKind(view.kind) else { continue }
      var lock = LockOrder.Lock(object: view.object, kind: kind)
      lock.created = view.created
      lock.makers = makers(of: view.object, madeAt: view.created)
      lock.label = text(view.label)
      lock.isCertain = view.is_one && view.is_lock
      order.locks[index] = lock
    }
    for index in 0..<edges {
      var view = interlock_order_edge()
      guard interlock_order_edge_at(index, &view), view.is_users else { continue }
      order.edges.append(edge(&view))
    }
    return order
  }

  private static func edge(_ view: inout interlock_order_edge) -> LockOrder.Edge {
    var edge = LockOrder.Edge(from: Int(view.from), to: Int(view.to))
    edge.fromIsShared = view.from_is_shared
    edge.toIsShared = view.to_is_shared
    edge.owners = list(view.owners, count: view.owner_count)
    edge.hasManyOwners = view.owner_count == UInt32(INTERLOCK_ORDER_OWNERS)
    let gates: [UInt] = list(view.gates, count: view.gate_count)
    for (index, gate) in gates.enumerated() {
      // A lock held in both modes excludes other owners.
      edge.gates[gate & ~1] = (gate & 1 == 1) && edge.gates[gate & ~1] ?? true
      if view.released_gates >> UInt32(index) & 1 == 1 { edge.releasedGates.insert(gate & ~1) }
    }
    edge.fromPlace = [view.from_place, view.from_outer].filter { $0 != 0 }
    edge.toPlace = [view.to_place, view.to_outer].filter { $0 != 0 }
    edge.actor = Actor(view.actor)
    edge.signal = signal(view.signal)
    return edge
  }

  private static func signal(_ view: interlock_signal_view) -> LockOrder.Signal? {
    let kind: SignalKind
    switch interlock_object_kind(view.kind) {
    case INTERLOCK_OBJECT_SEMAPHORE: kind = .semaphore
    case INTERLOCK_OBJECT_GROUP: kind = .group
    case INTERLOCK_OBJECT_CONDITION: kind = .condition
    case INTERLOCK_OBJECT_WORK_ITEM: kind = .workItem
    default: return nil
    }
    return LockOrder.Signal(
      kind: kind, created: view.created, place: view.place, thread: Int(view.thread))
  }

  /// The callers of the function that created a lock, innermost first; empty if the lock is gone.
  static func makers(of object: UInt, madeAt created: UInt) -> [UInt] {
    guard created != 0 else { return [] }
    var callers = [UInt](repeating: 0, count: Int(INTERLOCK_CALLERS_MOST))
    if interlock_waits_made_by(object, &callers) != created {
      var view = interlock_object_view()
      guard interlock_waits_object(object, &view), view.created == created else { return [] }
      callers = list(view.created_callers, count: UInt32(INTERLOCK_CALLERS_MOST))
    }
    return Array(callers.prefix { $0 != 0 })
  }

  /// The elements of a C array, which Swift imports as a tuple.
  static func list<Tuple, Element>(_ tuple: Tuple, count: UInt32) -> [Element] {
    withUnsafeBytes(of: tuple) { bytes in
      // Unsafe: a homogeneous tuple is laid out as an array of its elements.
      Array(bytes.bindMemory(to: Element.self).prefix(Int(count)))
    }
  }

  /// A text that ends at a zero byte, or at the end of its storage.
  static func text<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension LockKind {
  /// The kind of an event's object; `nil` if it is not a lock.
  init?(_ kind: UInt32) {
    switch interlock_object_kind(kind) {
    case INTERLOCK_OBJECT_MUTEX: self = .mutex
    case INTERLOCK_OBJECT_READ_LOCK, INTERLOCK_OBJECT_WRITE_LOCK: self = .readWriteLock
    case INTERLOCK_OBJECT_SEMAPHORE: self = .semaphore
    case INTERLOCK_OBJECT_QUEUE: self = .queue
    case INTERLOCK_OBJECT_OWNED_FUTEX: self = .swiftMutex
    default: return nil
    }
  }
}

extension Actor {
  init(_ view: interlock_actor_view) {
    self.init()
    thread = Int(view.thread)
    name = Tables.text(view.name)
    queue = Tables.text(view.queue)
    isTask = view.is_task
    stack = Tables.list(view.stack, count: view.stack_count)
  }
}
