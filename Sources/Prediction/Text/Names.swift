import CInterlockAnalysis
import HangReports
import Interlock
import Hangs

/// Names for the addresses of a process.
struct Names {
  private let frames: [UInt: [StackFrame]]
  /// The places that created locks, outside of functions that create locks for their callers.
  private var makers: [LockOrder.Lock: CallSite.Shown] = [:]

  /// Symbolicates addresses in this process. Reading debug information takes up to a second.
  ///
  /// - Parameters:
  ///   - addresses: All addresses that are named later, including those of the locks.
  ///   - locks: The locks named together. A function that created several of them is a helper,
  ///     and its callers are shown instead.
  ///   - places: The places that acquire the locks, which show the classes of locks.
  init(of addresses: Set<UInt>, locks: [LockOrder.Lock] = [], takenAt places: [[UInt]] = []) {
    frames = Dictionary(
      grouping: addresses.isEmpty ? [] : Interlock.symbolicate(addresses.sorted()), by: \.address)
    let made = locks.filter { $0.created != 0 }
    let sites =
      made.map { CallSite(operation: "made", users: frames($0.makersAndMade)) }
      + places.map { CallSite(operation: "lock", users: frames($0)) }
    for (lock, shown) in zip(made, CallSite.shown(sites)) { makers[lock] = shown }
  }

  /// The frames at some addresses, innermost first.
  func frames(_ addresses: [UInt]) -> [StackFrame] {
    addresses.flatMap { frames[$0] ?? [StackFrame(address: $0)] }
  }

  /// The frames at some addresses, extended by their callers on an actor's stack.
  func callers(_ place: [UInt], _ actor: Actor) -> [StackFrame] {
    CallersOnStack.of(frames(place), in: frames(actor.stack))
  }

  /// ` made at Bank.swift:12  Account.init()`; empty if unknown.
  func made(_ created: UInt) -> String {
    guard created != 0, let place = PlaceText.place(frames([created])) else { return "" }
    return " made at " + place
  }

  /// `thread 4711 "worker"`, `a task on thread 4711`, with the queue whose block it ran.
  func party(_ actor: Actor) -> String {
    var text = (actor.isTask ? "a task on thread " : "thread ") + String(actor.thread)
    if !actor.name.isEmpty { text += " \"\(Printable.label(actor.name))\"" }
    if !actor.queue.isEmpty { text += " on queue \"\(Printable.label(actor.queue))\"" }
    return text
  }

  /// The name of a lock, with its address if another lock has the same name.
  func lock(_ lock: LockOrder.Lock, besides others: [LockOrder.Lock] = []) -> String {
    let name = plainName(lock)
    let isAlone = others.allSatisfy { $0.object == lock.object || plainName($0) != name }
    return isAlone ? name : name + " (0x" + String(lock.object, radix: 16) + ")"
  }

  private func plainName(_ lock: LockOrder.Lock) -> String {
    if lock.kind == .queue, !lock.label.isEmpty {
      return lock.label == "com.apple.main-thread"
        ? "the main queue" : "queue \"\(Printable.label(lock.label))\""
    }
    let shown = makers[lock].flatMap(PlaceText.text).map { " made at " + $0 }
    let made = shown ?? made(lock.created)
    let kind = Self.name(lock.kind)
    if !made.isEmpty { return "the \(kind)" + made }
    if let variable = interlock_variable_symbol(lock.object) {
      return "the \(kind) \(PlaceText.variable(String(cString: variable)))"
    }
    return "\(kind) 0x" + String(lock.object, radix: 16)
  }

  /// `the group made at Loader.swift:12`, for an object that is not a lock.
  func signal(_ signal: LockOrder.Signal) -> String {
    let made = made(signal.created)
    return made.isEmpty ? "a \(signal.kind.rawValue)" : "the \(signal.kind.rawValue)\(made)"
  }

  /// The name of a kind of lock.
  static func name(_ kind: LockKind) -> String {
    switch kind {
    case .mutex: "mutex"
    case .readWriteLock: "read-write lock"
    case .semaphore: "semaphore"
    case .queue: "queue"
    case .swiftMutex: "Mutex"
    }
  }
}

extension LockOrder.Lock {
  /// Where the lock was created and the callers of that function, innermost first; empty if
  /// unknown.
  var makersAndMade: [UInt] { created == 0 ? [] : [created] + makers }
}
