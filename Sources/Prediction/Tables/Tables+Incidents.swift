import CInterlockEvents
import CInterlockPrediction

/// A rule that was broken at one place, as it was noted.
struct Incident: Sendable {
  /// What a thread waited for, or held.
  enum Object: Sendable {
    case lock(LockKind)
    case condition, group, thread
  }

  var kind: PotentialFinding.Kind
  var object: Object
  var address: UInt
  /// Where it was waited for or taken, and where that function was called.
  var place: [UInt]
  /// Where it was given back; 0 where nobody asked.
  var endPlace: UInt
  /// The longest time; 0 where none was taken.
  var seconds: Double
  var count: Int
  var actor: Actor
}

extension Tables {
  /// The rules that were broken up to now, in the order in which they were first.
  static func incidents() -> [Incident] {
    (0..<interlock_incident_count()).compactMap { index in
      var view = interlock_incident()
      guard interlock_incident_at(index, &view) else { return nil }
      return incident(view)
    }
  }

  private static func incident(_ view: interlock_incident) -> Incident? {
    let kind: PotentialFinding.Kind
    switch interlock_incident_kind(view.kind) {
    case INTERLOCK_INCIDENT_BLOCKING_WAIT: kind = .blockingWaitInTask
    case INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT: kind = .lockAcrossAwait
    case INTERLOCK_INCIDENT_LONG_HOLD: kind = .longHold
    case INTERLOCK_INCIDENT_CALLBACK: kind = .callbackUnderLock
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
      kind: kind, object: object, address: view.object,
      place: [view.place, view.outer].filter { $0 != 0 }, endPlace: view.end_place,
      seconds: Double(view.nanoseconds) / 1e9, count: Int(view.count), actor: Actor(view.actor))
  }
}
