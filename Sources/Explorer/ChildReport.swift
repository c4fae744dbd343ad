import CInterlockAnalysis
internal import CInterlockExplorer
internal import Foundation
import Interlock
import Hangs

/// The state that a body keeps in memory across executions. A child process sends it to its parent.
package struct ExploredState: Sendable {
  /// Returns the state as bytes, in the child.
  package var save: @Sendable () -> [UInt8]
  /// Takes over the bytes that a child saved, in the parent.
  package var load: @Sendable ([UInt8]) -> Void

  /// Describes a body's state.
  package init(
    save: @escaping @Sendable () -> [UInt8], load: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.save = save
    self.load = load
  }
}

/// The report of the child process of an isolated exploration, besides the engine's result.
struct ChildReport: Codable {
  /// The race of the last execution, and the reason why a race is not reported as one.
  var race: SectionRace?
  var undecidedRace: String?
  /// The memory races that the child found.
  var inMemory: ExploredMemoryRaces?
  /// Why the order of sections is unknown; `nil` if it is known or the body has no sections.
  var orderUnknown: String?
  /// The cause of the deadlock and its lines; `nil` without a deadlock.
  var explained: DeadlockWitness.Explained?
  /// The body's state, as `ExploredState.save` returns it.
  var state: [UInt8]?

  var isEmpty: Bool {
    race == nil && undecidedRace == nil && inMemory?.isEmpty != false && orderUnknown == nil
      && explained == nil && state == nil
  }
}

/// Makes reports in the child, and reads them in the parent.
final class ChildReporter {
  private let witness: DeadlockWitness?
  private let state: ExploredState?

  init(_ witness: DeadlockWitness?, _ state: ExploredState?) {
    self.witness = witness
    self.state = state
  }

  /// Called in the child before its first execution. Starts the event readers again: `fork` removes
  /// them.
  func begin() {
    if witness != nil { _ = DeadlockWitness.start() }
    if SectionTracking.followsOrder { _ = interlock_clocks_start() }
  }

  /// Called in the child after its last execution. Returns 0, and writes nothing, for a report that
  /// does not fit into `bytes`.
  func write(to bytes: UnsafeMutableBufferPointer<CChar>) -> Int {
    var report = ChildReport(explained: witness?.explained, state: state?.save())
    if SectionTracking.followsOrder {
      report.orderUnknown = interlock_clocks_blindness().map { String(cString: $0) }
    }
    report.undecidedRace = RaceCheck.undecided()
    report.race = ExploredRaces.last?.ofSections
    report.inMemory = ExploredRaces.inMemory
    // Return early: the first use of `JSONEncoder` in a process takes longer than most executions.
    if report.isEmpty { return 0 }
    var encoded = try? JSONEncoder().encode(report)
    if let size = encoded?.count, size > bytes.count, report.explained != nil {
      report.explained?.shorten()
      encoded = try? JSONEncoder().encode(report)
    }
    guard let data = encoded, data.count <= bytes.count else { return 0 }
    return data.copyBytes(to: UnsafeMutableRawBufferPointer(bytes))
  }

  /// Applies the last child's report, and returns it; `nil` if the child wrote none.
  func read(_ result: interlock_exploration_result) -> ChildReport? {
    guard result.report_size > 0 else { return nil }
    let data = Data(bytes: result.report, count: result.report_size)
    guard let report = try? JSONDecoder().decode(ChildReport.self, from: data) else { return nil }
    if let saved = report.state { state?.load(saved) }
    if let races = report.inMemory { ExploredRaces.add(races) }
    witness?.explained = report.explained
    return report
  }
}
