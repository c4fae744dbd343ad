import CInterlockAnalysis
import CInterlockEvents

/// A recorded fault at one place that is a finding by itself.
struct Incident: Sendable {
  /// The object that a thread waited for or held.
  enum Object: Sendable {
    case lock(LockKind)
    case condition, group, thread
  }

  /// The owner of a lock that was left locked.
  enum Owner: Sendable {
    case thread, block, main, exit
  }

  var kind: PotentialFinding.Kind
  /// The owner, for a lock that was left locked.
  var owner = Owner.thread
  var object: Object
  var address: UInt
  /// The call site of the wait or acquisition, and the caller of that function.
  var place: [UInt]
  /// Where the object was released; 0 if that was not recorded. For a lock that its holder tried to
  /// acquire again, the place of the first acquisition.
  var endPlace: UInt
  /// Where the lock was created; 0 if that was not recorded or is not reported.
  var created: UInt = 0
  /// The callers of the function that created the lock, innermost first, where known.
  var makers: [UInt] = []
  /// The longest time in seconds; 0 if none was measured.
  var seconds: Double
  var count: Int
  var actor: Actor
}

extension Tables {
  /// The incidents so far, in the order of their first occurrence.
  static func incidents() -> [Incident] {
    (0..<interlock_incident_count()).compactMap { index in
      var view = interlock_incident()
      guard interlock_incident_at(index, &view), !isOfSynchronousTest(view) else { return nil }
      return incident(view)
    }
  }

  /// True for the wait of a synchronous Swift Testing test that no task ends.
  ///
  /// The library runs such a test on a pool thread. The wait takes that thread from other tasks,
  /// but needs none of them. The wait of a user's own task is always reported.
  private static func isOfSynchronousTest(_ view: interlock_incident) -> Bool {
    guard view.kind == INTERLOCK_INCIDENT_BLOCKING_WAIT.rawValue, !view.needs_task,
      view.task_place != 0, let symbol = CodeJudge.symbol(view.task_place - 1)
    else { return false }
    // The function that the macro generates calls a synchronous test directly, so it is on the
    // stack. An asynchronous test is awaited, and its own functions are outermost.
    return symbol.hasPrefix("$s") && symbol.contains("4TestfMp_")
  }

  /// The locks that are left locked now. Locks acquired at one place count as one.
  static func leftLocks() -> [Incident] {
    var found: [Incident] = []
    for index in 0..<interlock_left_lock_count() {
      var view = interlock_incident()
      guard interlock_left_lock_at(index, &view), let made = incident(view) else { continue }
      if let known = found.firstIndex(where: { $0.place == made.place && $0.owner == made.owner }) {
        found[known].count += 1
      } else {
        found.append(made)
      }
    }
    return found
  }

  private static func incident(_ view: interlock_incident) -> Incident? {
    let kind: PotentialFinding.Kind
    var owner = Incident.Owner.thread
    switch interlock_incident_kind(view.kind) {
    case INTERLOCK_INCIDENT_BLOCKING_WAIT: kind = .blockingWaitInTask
    case INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT: kind = .lockAcrossAwait
    case INTERLOCK_INCIDENT_LONG_HOLD: kind = .longHold
    case INTERLOCK_INCIDENT_CALLBACK: kind = .callbackUnderLock
    case INTERLOCK_INCIDENT_RELOCK: kind = .relock
    case INTERLOCK_INCIDENT_LEFT_BY_THREAD: kind = .abandonedLock
    case INTERLOCK_INCIDENT_LEFT_BY_BLOCK:
      kind = .abandonedLock
      owner = .block
    case INTERLOCK_INCIDENT_LEFT_BY_MAIN:
      kind = .abandonedLock
      owner = .main
    case INTERLOCK_INCIDENT_LEFT_BY_EXIT:
      kind = .abandonedLock
      owner = .exit
    default: return nil
    }
    let object: Incident.Object
    switch interlock_object_kind(view.object_kind) {
    case INTERLOCK_OBJECT_CONDITION: object = .condition
    case INTERLOCK_OBJECT_GROUP: object = .group
    case INTERLOCK_OBJECT_THREAD: object = .thread
    default:
      guard let lock = LockKind(view.object_kind) else { return nil }
      object = .lock(lock)
    }
    return Incident(
      kind: kind, owner: owner, object: object, address: view.object,
      place: [view.place, view.outer].filter { $0 != 0 }, endPlace: view.end_place,
      created: view.created, makers: makers(of: view.object, madeAt: view.created),
      seconds: Double(view.nanoseconds) / 1e9, count: Int(view.count), actor: Actor(view.actor))
  }
}
