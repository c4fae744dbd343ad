import HangReports
import Interlock
import Hangs

extension DeadlockWitness.Seen {
  /// Replaces places in helper functions by the call sites that the schedule's rows show. The
  /// schedule has all calls of the execution, which tell helpers apart; one stack has too few
  /// frames.
  mutating func showCallSites(of schedule: Schedule) {
    for index in snapshot.threads.indices {
      guard let thread = threads[snapshot.threads[index].id] else { continue }
      if snapshot.threads[index].wait != nil,
        let row = schedule.blocked.first(where: { $0.thread == thread }),
        let place = Self.frame(row.place, by: row.helper)
      {
        snapshot.threads[index].wait?.place = [place]
        snapshot.threads[index].wait?.callers = 0
      }
      for held in snapshot.threads[index].held.indices {
        guard let object = number(snapshot.threads[index].held[held].object),
          let row = schedule.acquisition(of: object, by: thread),
          let place = Self.frame(row.place, by: row.helper)
        else { continue }
        snapshot.threads[index].held[held].place = [place]
        snapshot.threads[index].held[held].callers = 0
      }
    }
    for index in snapshot.signals.indices where !snapshot.signals[index].created.isEmpty {
      guard let number = number(snapshot.signals[index].id),
        let object = schedule.objects.first(where: { $0.number == number }),
        let place = Self.frame(object.place, by: object.helper)
      else { continue }
      snapshot.signals[index].created = [place]
    }
  }

  private func number(_ object: WaitSnapshot.ObjectID) -> Int? {
    objects[object].flatMap { $0 == 0 ? nil : $0 }
  }

  /// The frame, with the helper's name added to its function; `nil` without a helper.
  private static func frame(_ place: StackFrame?, by helper: String?) -> StackFrame? {
    guard var place, let helper else { return nil }
    let function = place.function.map { _ in CallSite.Function(place).name + " " } ?? ""
    place.function = "\(function)by \(helper)"
    return place
  }
}

extension Schedule {
  /// The step in which the thread acquired the lock that it still holds.
  fileprivate func acquisition(of object: Int, by thread: Int) -> Step? {
    let own = steps.filter { $0.thread == thread && $0.object == object }
    let released = own.lastIndex { $0.operation.hasSuffix("unlock") }
    let held = own.suffix(from: released.map { $0 + 1 } ?? 0)
    // Skip a try-lock that is followed by a lock: the try-lock has failed.
    return held.first { !$0.operation.hasSuffix("try-lock") } ?? held.last
  }
}
