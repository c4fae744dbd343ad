import Dispatch
import Foundation

/// A stand-in for the workload drivers, which are made elsewhere: callers as blocks, threads or tasks,
/// all on one key.
package func runWorkload(
  _ scenario: Scenario, seed: UInt64, on subject: any Subject, reporting progress: any ProgressSink
) -> [Observation.OracleFailure] {
  var first = 0
  for phase in scenario.workload.phases {
    guard case .sequence(let kinds) = phase.operations else { continue }
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "callers", attributes: .concurrent)
    let rounds = phase.rounds
    for caller in first..<(first + phase.callers) {
      group.enter()
      let body: @Sendable () -> Void = {
        for (number, kind) in (0..<rounds).flatMap({ _ in kinds }).enumerated() {
          progress.began(caller: caller, operation: number)
          group.enter()
          subject.perform(Operation(kind: kind, key: "key-0")) { _ in
            progress.completed(caller: caller)
            group.leave()
          }
        }
        group.leave()
      }
      switch scenario.workload.driver {
      case .dispatchQueue: queue.async(execute: body)
      case .threads: Thread { body() }.start()
      case .tasks: Task.detached { body() }
      }
    }
    group.wait()
    first += phase.callers
  }
  return []
}
