import CInterlockAnalysis
import CInterlockEvents

/// The records of the readers in C, as values.
enum Tables {
  /// The orders of all locks so far.
  static func lockOrder() -> LockOrder {
    var order = LockOrder()
    // An edge's locks are numbered before the edge is.
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
    for gate in gates {
      // A lock that is held in both modes excludes others.
      edge.gates[gate & ~1] = (gate & 1 == 1) && edge.gates[gate & ~1] ?? true
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

  /// The callers of the function that made a lock, innermost first; none if it has ended since.
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

  /// The elements of an array in a C structure, which Swift sees as a tuple.
  static func list<Tuple, Element>(_ tuple: Tuple, count: UInt32) -> [Element] {
    withUnsafeBytes(of: tuple) { bytes in
      // Unsafe: a homogeneous tuple is laid out as an array of its elements.
      Array(bytes.bindMemory(to: Element.self).prefix(Int(count)))
    }
  }

  /// A text that ends with a zero byte, or at the end of its space.
  static func text<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension LockKind {
  /// The kind of an event's object; `nil` if it is no lock.
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
