import CInterlockAnalysis
internal import CInterlockExplorer
internal import Foundation
import Interlock
import Hangs

/// What a body keeps of its executions in memory, which a child process has to hand over.
package struct ExploredState: Sendable {
  /// Returns what the body has kept.
  package var save: @Sendable () -> [UInt8]
  /// Takes what a child saved.
  package var load: @Sendable ([UInt8]) -> Void

  /// Describes a body's state.
  package init(
    save: @escaping @Sendable () -> [UInt8], load: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.save = save
    self.load = load
  }
}

/// What the child of an isolated exploration knows beyond the engine's result.
struct ChildReport: Codable {
  /// The race of the last execution, and why it is no finding.
  var race: ExplorationRace?
  var undecidedRace: String?
  /// Its races in memory.
  var inMemory: ExploredMemoryRaces?
  /// Why it does not know the order of sections, if the body has some.
  var orderUnknown: String?
  /// The cause of its deadlock, with the lines.
  var explained: DeadlockWitness.Explained?
  /// What the body has kept.
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

  /// Called in the child before its first execution: the fork has removed the readers of events.
  func begin() {
    if witness != nil { _ = DeadlockWitness.start() }
    if SectionTracking.followsOrder { _ = interlock_clocks_start() }
  }

  /// Called in the child after its last execution. One that does not fit is left out.
  func write(to bytes: UnsafeMutableBufferPointer<CChar>) -> Int {
    var report = ChildReport(explained: witness?.explained, state: state?.save())
    if SectionTracking.followsOrder {
      report.orderUnknown = interlock_clocks_blindness().map { String(cString: $0) }
    }
    report.undecidedRace = RaceCheck.undecided()
    report.race = SectionTracking.exploredRace.flatMap(ExplorationRace.init)
    report.inMemory = SectionTracking.exploredMemoryRaces
    // In a new process, the first use of the encoder takes longer than most executions.
    if report.isEmpty { return 0 }
    var encoded = try? JSONEncoder().encode(report)
    if let size = encoded?.count, size > bytes.count, report.explained != nil {
      report.explained?.shorten()
      encoded = try? JSONEncoder().encode(report)
    }
    guard let data = encoded, data.count <= bytes.count else { return 0 }
    return data.copyBytes(to: UnsafeMutableRawBufferPointer(bytes))
  }

  /// Takes over what the last child reported; `nil` if it could report nothing.
  func read(_ result: interlock_exploration_result) -> ChildReport? {
    guard result.report_size > 0 else { return nil }
    let data = Data(bytes: result.report, count: result.report_size)
    guard let report = try? JSONDecoder().decode(ChildReport.self, from: data) else { return nil }
    if let saved = report.state { state?.load(saved) }
    if let races = report.inMemory { SectionTracking.add(races) }
    witness?.explained = report.explained
    return report
  }
}
