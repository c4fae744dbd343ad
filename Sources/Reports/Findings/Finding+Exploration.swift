package import Explorer
package import Findings
import Interlock
package import StressRunner
import Hangs

extension Finding {
  /// Describes a failing order with its schedule: at the second side of a race, where the first
  /// blocked thread waits, or at the line of the body that failed.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - oracle: The oracle of a scenario that failed in the order; `nil` for none.
  package init(_ failure: ExplorationFailure, oracle: Observation.OracleFailure? = nil) {
    self.init(Self.rule(failure, oracle), message: failure.headline)
    details = failure.evidence
    steps = failure.schedule.events.map(Step.init)
    if let race = failure.race?.ofSections {
      resource = race.resource.split(separator: " ").first.map(String.init)
      let words = race.overlapped ? "in the section" : "ended before"
      sides = [Side("second, as it came", race.second), Side("first, \(words)", race.first)]
    } else if !failure.schedule.blocked.isEmpty {
      sides = failure.schedule.waiting.compactMap { step in
        step.place.map {
          Side(title: "\(failure.schedule.party(step).name) waits: \(step.operation)", place: $0)
        }
      }
    } else if let place = failure.place, let side = Self.side(failed: place) {
      sides = [side]
    }
  }

  private static func rule(
    _ failure: ExplorationFailure, _ oracle: Observation.OracleFailure?
  ) -> Rule {
    switch failure.verdict {
    case .failed: oracle.map { .oracle($0.oracle.rawValue) } ?? .orderFails
    case .deadlock, .selfWait: .deadlock(failure.cause)
    case .livelock: .livelock
    case .timedOut: .timeLimit
    case .crashed, .misuse: .crash
    case .notDeterministic: .notDeterministic
    case .race: .race
    }
  }

  /// The side for a line of the body, such as `File.swift:12`.
  private static func side(failed place: String) -> Side? {
    guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...])
    else { return nil }
    let frame = StackFrame(address: 0, file: String(place[..<colon]), line: line)
    return Side(title: "the check that failed", place: frame)
  }
}
