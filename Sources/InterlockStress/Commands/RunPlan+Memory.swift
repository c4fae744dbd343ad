import MemoryCheck
import StressRunner

extension RunPlan {
  /// Enables the memory check in trials whose subjects' code is compiled for it, unless the option
  /// says otherwise.
  ///
  /// The check is on by default for such code: it was compiled for this check, its accesses call
  /// functions in any case, and a run without the check would be green without having looked.
  ///
  /// - Throws: An error for `--memory on` if a subject's code is not compiled for the check.
  mutating func checkMemory(
    _ options: Options, _ support: MemoryCheck.Support, of subjects: [SubjectEntry],
    in command: CommandName, of executable: String
  ) throws(UsageError) {
    guard options.memory != false else { return }
    let instrumented = Set(subjects.filter(\.isInstrumented).map(\.name))
    for index in trials.indices {
      let subject = trials[index].subject
      switch support {
      case .everywhere: trials[index].checksMemory = true
      case .partial: trials[index].checksMemory = instrumented.contains(subject)
      case .unavailable: break
      }
      guard options.memory == true, !trials[index].checksMemory else { continue }
      throw UsageError(
        "The option '--memory on' needs '\(subject)' compiled for it, as in 'swift run"
          + " \(MemoryCheck.option) \(executable) \(command.rawValue) … --memory on'", command)
    }
  }
}

extension World {
  /// Why this build cannot judge a trial; `nil` if it can. A subject that contains only a memory
  /// race needs the memory check.
  func missingCheck(of trial: Trial) -> String? {
    guard !trial.checksMemory, case .unavailable(let reason) = memory,
      subjects.first(where: { $0.name == trial.subject })?.isInstrumented == true
    else { return nil }
    return "needs the check of memory, which this build does not have: \(reason)"
  }
}
