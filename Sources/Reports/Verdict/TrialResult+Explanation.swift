package import HangReports
package import StressRunner
import Hangs

extension TrialResult {
  /// The diagnosis of the wait-for graph as text; `nil` if the verdict has none.
  package var explanation: Explanation? {
    verdict.diagnosis.map { Explanation($0, of: observation.waits ?? WaitSnapshot()) }
  }
}
