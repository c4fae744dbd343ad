import Dispatch
import Explorer
import Foundation
import ProcessInspection

extension TrialHost {
  /// Explores the orders of a trial's workload, and ends the process.
  ///
  /// The stage of the trial stays `starting`. The explorer itself detects threads that cannot
  /// continue, and the parent's watch would take the explorer's single carrier thread for a stall.
  static func explore(
    _ request: ExploreRequest, _ trial: Trial, on entry: SubjectEntry, events: EventPipe
  ) -> Never {
    let workload = ExploredWorkload(trial, on: entry)
    var exploration = trial.exploration(request)
    exploration.state = workload.state
    let start = Platform.now
    let outcome: ExplorationOutcome
    var facts: UInt32?
    var orderUnknown: String?
    var oneProcess: String?
    var sources: [String]?
    do throws(ExplorationRefusal) {
      outcome =
        if let token = request.token {
          try exploration.replay(token) { workload.execute() }
        } else {
          try exploration.run({ workload.execute() }) { note in
            switch note {
            case .facts(let shown): facts = shown
            case .orderUnknown(let reason): orderUnknown = reason
            case .oneProcess(let reason): oneProcess = reason
            case .sources(let lines): sources = lines
            default: report(note)
            }
          }
        }
    } catch {
      end(events, .notRun(error.description))
    }
    if !workload.undecided.isEmpty { events.send(.undecided(workload.undecided)) }
    if outcome.failure?.verdict == .failed {
      for oracle in workload.failures { events.send(.oracleFailure(oracle)) }
    }
    var record = ExplorationRecord(outcome: outcome, seconds: Platform.now - start)
    record.orderUnknown = orderUnknown
    record.oneProcess = oneProcess
    if request.options.explainsOrders == true { record.sources = sources }
    if request.options.part != nil { record.facts = facts }
    events.send(.explored(record))
    end(events, .finished(nil))
  }

  /// Writes a problem with the file of failing orders to standard error, which a failing trial
  /// shows.
  private static func report(_ note: Exploration.Note) {
    guard case .corpus(let problem) = note else { return }
    FileHandle.standardError.write(Data("interlock: \(problem)\n".utf8))
  }
}
