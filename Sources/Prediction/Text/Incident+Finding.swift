import Foundation
import HangReports
import Interlock

extension Incident {
  /// The addresses that need symbols.
  var addresses: [UInt] { place + actor.stack + end + (lock?.makersAndMade ?? []) }

  /// The lock with its creation; `nil` if the incident does not record it.
  var lock: LockOrder.Lock? {
    guard created != 0, case .lock(let kind) = object else { return nil }
    var lock = LockOrder.Lock(object: address, kind: kind)
    (lock.created, lock.makers) = (created, makers)
    return lock
  }

  /// Converts the incident to a finding.
  func finding(_ names: Names) -> PotentialFinding {
    let frames = names.frames(place)
    let callers = names.callers(place, actor)
    let at = PlaceText.at(callers)
    let object = objectName
    let headline: String
    let act: String
    var held: [PotentialFinding.Held] = []
    switch kind {
    case .blockingWaitInTask:
      act = "waits for \(object)" + (seconds > 0 ? " for \(text(seconds))" : "")
      headline =
        "a task blocks a thread of the pool that all tasks share: it \(act)\(at)"
    case .lockAcrossAwait:
      act = "leaves its thread with \(object) locked"
      headline =
        "a task left its thread, at an await or at its end, with \(object) locked, a lock that"
        + " belongs to that thread: taken\(PlaceText.atWithCaller(callers))"
      held = [.init(object: object, place: frames)]
    case .longHold:
      act = "holds \(object) for \(text(seconds))"
      headline =
        "\(object) was held for \(text(seconds)): taken\(at)"
        + (end.isEmpty ? "" : ", released" + PlaceText.at(names.frames(end)))
      held = [.init(object: object, place: frames)]
    case .abandonedLock:
      let lock = lockName(names)
      let (subject, verb) = leaving
      act = "\(verb) without unlocking \(lock)"
      headline =
        "\(subject) without unlocking \(lock), which is still locked: taken"
        + PlaceText.atWithCaller(callers)
      held = [.init(object: lock, place: frames)]
    case .relock:
      act = "tries again to acquire \(object) that it holds, and continues without it"
      headline =
        "a thread tried again to acquire \(object) that it held, the call failed (EDEADLK), and the"
        + " thread unlocked it twice: tried again\(PlaceText.atWithCaller(callers)), taken"
        + PlaceText.at(names.frames(end))
      held = [.init(object: object, place: names.frames(end))]
    case .callbackUnderLock, .lockOrder, .race:
      act = "calls back while it holds \(object)"
      headline = "a callback runs under \(object), which was taken\(at)"
      held = [.init(object: object, place: frames)]
    }
    return PotentialFinding(
      kind: kind, headline: headline,
      sides: [
        .init(
          party: names.party(actor), act: act, place: frames, stack: names.frames(actor.stack),
          held: held)
      ],
      count: count)
  }

  /// The ended thread, block or `main`, for the headline, and the action of its thread.
  private var leaving: (subject: String, verb: String) {
    switch owner {
    case .thread: ("a thread ended", "ended")
    case .block: ("a block ended", "ended a block")
    case .main: ("main returned", "returned from main")
    case .exit: ("a thread called exit", "called exit")
    }
  }

  private func lockName(_ names: Names) -> String {
    guard case .lock(let kind) = self.object else { return objectName }
    return names.lock(lock ?? LockOrder.Lock(object: address, kind: kind))
  }

  private var end: [UInt] { endPlace == 0 ? [] : [endPlace] }

  private var objectName: String {
    let name =
      switch object {
      case .lock(let kind): Names.name(kind)
      case .condition: "condition"
      case .group: "group"
      case .thread: "thread's end"
      }
    return "a \(name)"
  }

  private func text(_ seconds: Double) -> String { String(format: "%.1f s", seconds) }
}
