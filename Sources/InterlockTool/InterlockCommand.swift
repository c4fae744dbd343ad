import Foundation
import Interlock
import InterlockStress

/// The `interlock` command: the built-in caches under `StressCommand`, which any executable can
/// use.
@main
struct InterlockCommand: StressCommand {
  static let subjects = builtInSubjects

  static func main() {
    OwnCode.register([OwnCode(.executable)])
    start(
      mainJob: .init(first: "concurrent-reads", subjects: SubjectEntry.builtIn.map(\.name)),
      // More than processors: many of these caches hang, and then only wait.
      jobs: 2 * min(4, ProcessInfo.processInfo.activeProcessorCount))
  }
}
