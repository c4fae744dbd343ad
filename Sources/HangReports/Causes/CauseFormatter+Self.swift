import Interlock
import Hangs

extension CauseFormatter {
  func ownCall(_ thread: Int, _ object: Diagnosis.Object, _ traps: Bool) -> Lines {
    let name = names.party(.thread(thread))
    let call = index.snapshot.selfWait
    let (place, first) = (call?.place ?? [], call?.firstPlace ?? [])
    if object.kind == .queue {
      let trap = traps ? ["libdispatch ends the process there, on Linux without a message"] : []
      return (
        "\(name) waits for \(names.quotedQueue(object.id)), the queue that it is on",
        callLines(place, first) + trap
      )
    }
    let library = object.kind == .initializer ? "libdispatch" : "the runtime"
    return (
      "\(name) waits for \(names.object(object)), which it already holds",
      lockLines(place, first) + (traps ? ["\(library) ends the process there"] : [])
    )
  }

  func selfWait(
    _ party: Diagnosis.Party, _ gate: Diagnosis.Gate, _ object: Diagnosis.Object
  ) -> Lines {
    let name = names.party(party)
    let found = thread(party)
    let place = found?.wait?.place ?? []
    switch gate {
    case .queue(let queue), .runners(let queue):
      let run = found?.runs.last { isBelow($0.queue, queue) }
      var details = callLines(place, run?.place ?? [])
      if case .runners = gate {
        details.append("the call is a barrier: it waits until no other block runs on the queue")
      }
      return (
        "\(name) waits for \(names.quotedQueue(object.id)), "
          + ownQueue(run, object.id, atGate: queue),
        details
      )
    case .main: return ("\(name) waits for the main queue, which only it runs", waitLine(place))
    case .workItem, .members:
      let run = found?.runs.last { $0.workItem == object.id || $0.group == object.id }
      let what = run?.workItem == object.id ? "the work item" : "a block of the group"
      let enqueued = PlaceText.place(run?.place ?? []).map { ["its block was enqueued at \($0)"] }
      return (
        "\(name) waits for \(names.object(object)), and is in \(what) itself",
        waitLine(place) + (enqueued ?? [])
      )
    case .end: return ("\(name) waits for its own end", waitLine(place))
    default:
      let held = found?.held.last { $0.object == object.id }
      return (
        "\(name) waits for \(names.object(object)), which it already holds",
        lockLines(place, held?.place ?? [])
      )
    }
  }

  /// The queue that a thread waits for and runs on: the awaited queue, or a queue with the same
  /// thread.
  private func ownQueue(
    _ run: WaitSnapshot.Run?, _ waited: WaitIndex.ObjectID, atGate queue: WaitIndex.ObjectID
  ) -> String {
    if run?.queue == waited { return "the queue that it is on" }
    let other = names.quotedQueue(run?.queue ?? queue)
    return "a queue on the same thread as \(other), which it is on"
  }

  private func callLines(_ place: [StackFrame], _ first: [StackFrame]) -> [String] {
    [
      PlaceText.place(place).map { "enters it again at \($0)" },
      PlaceText.place(first).map { "entered it at \($0)" },
    ].compactMap { $0 }
  }

  private func lockLines(_ place: [StackFrame], _ first: [StackFrame]) -> [String] {
    [
      PlaceText.place(place).map { "acquires it again at \($0)" },
      PlaceText.place(first).map { "holds it since \($0)" },
    ].compactMap { $0 }
  }

  private func waitLine(_ place: [StackFrame]) -> [String] {
    PlaceText.place(place).map { ["waits at \($0)"] } ?? []
  }
}
