import Prediction
import Programs
import StressRunner
import Hangs

extension Expectation {
  /// The expectation of a program's row, on this platform.
  init(of program: Program, platform: PlatformName = .current) {
    switch program.expected {
    case .passes:
      self.init(verdict: .passed)
    case .passesInEveryOrder:
      self.init(verdict: .passed)
      isFinished = true
    case .hangs(_, trapsOnLinux: true) where platform == .linux:
      // Without a cause: the trapped thread waits for another thread of the cycle, not for itself.
      self.init(verdict: .crashed)
    case .hangs(let cause, _):
      self.init(verdict: .deadlock, cause: Diagnosis.Cause(rawValue: cause.rawValue))
    case .traps:
      self.init(verdict: .crashed, cause: .self)
    case .races:
      self.init(verdict: .race)
    case .potential(let faults):
      self.init(
        verdict: .passed,
        potential: Set(faults.compactMap { PotentialFinding.Kind(rawValue: $0.rawValue) }))
    case .failsInSomeOrder(let failure):
      self.init(verdict: Verdict.Kind(rawValue: failure.rawValue) ?? .violation)
    }
  }
}
