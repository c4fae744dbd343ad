import Findings
import Foundation
import ProcessInspection
import Reports
import StressRunner

extension World {
  /// The result for one capability of this build on this machine.
  private struct Check {
    var name: String
    /// True if the capability works, false if it does not; `nil` for neutral information.
    var isGood: Bool?
    var text: String
  }

  /// Performs `doctor`: prints one line for each capability, and what is missing if it does not
  /// work.
  ///
  /// - Returns: `ourFault` if a part of this build does not work; otherwise `met`.
  func doctor(_ options: Options) -> ExitCode {
    let sections = sectionCheck
    var checks = [
      Check(
        name: "build", isGood: nil,
        text: "Interlock \(Self.version), Swift \(host.swift), "
          + (isDebugBuild ? "debug" : "release: its measurements count")),
      Check(name: "machine", isGood: nil, text: "\(host.system), \(host.cores) processors"),
      sections,
    ]
    checks += callChecks
    if let gap = ProcessorSupport.gap(on: processor) {
      checks.append(Check(name: "processor", isGood: false, text: gap))
    }
    checks.append(scenarioCheck(options))
    checks.append(serviceCheck)
    if !optionErrors.isEmpty {
      checks.append(
        Check(
          name: "environment", isGood: false,
          text: "INTERLOCK_OPTIONS has errors: \(optionErrors.joined(separator: "; "))"))
    } else if let value = environment["INTERLOCK_OPTIONS"], !value.isEmpty {
      checks.append(
        Check(name: "environment", isGood: nil, text: "INTERLOCK_OPTIONS=\(escaped(value))"))
    }
    let width = checks.map(\.name.count).max() ?? 0
    let room = max(60, output.width ?? 100) - width - 4
    for check in checks {
      let sign = check.isGood.map { $0 ? "✓" : "✗" } ?? " "
      for (index, line) in wrapped(check.text, width: room).enumerated() {
        let head = index == 0 ? "\(sign) \(check.name)" : ""
        output.write(head + String(repeating: " ", count: width + 4 - head.count) + line + "\n")
      }
    }
    return tracksSections && sections.isGood == false ? .ourFault : .met
  }

  private var sectionCheck: Check {
    guard tracksSections else {
      return Check(
        name: "sections", isGood: false,
        text: "Marks are not tracked, so no race of sections is seen: use a debug build, or"
          + " --traits SectionTracking")
    }
    if let failure = selfTest() {
      return Check(
        name: "sections", isGood: false,
        text: "a fault of Interlock's own: a planted race is not found: \(failure)")
    }
    return Check(
      name: "sections", isGood: true, text: "Marks are tracked; a planted race is found")
  }

  /// The waiting, waking and enqueuing calls that can be followed, and the features that need them.
  private var callChecks: [Check] {
    let needs = "wait-for graphs of hangs, prediction, 'interlock explore'"
    guard let reason = sight.reason else {
      return [
        Check(
          name: "calls", isGood: true,
          text: "All calls that wait, wake and enqueue are seen, as needed for: \(needs)"),
        Check(
          name: "not seen", isGood: nil,
          text: "Atomics, the fast path of Mutex, and unmarked accesses of memory, unless their"
            + " code is compiled for the check of memory"),
      ]
    }
    return [
      Check(
        name: "calls", isGood: false,
        text: "\(reason); not available: \(needs)")
    ]
  }

  private func scenarioCheck(_ options: Options) -> Check {
    let missing = subjects.count { $0.missing != nil }
    let lacking = missing > 0 ? ", \(missing) of which need what this machine lacks" : ""
    do throws(ScenarioErrors) {
      let shipped = try builtInScenarios()
      let isEmpty = ownScenarios.isEmpty && shipped.isEmpty && !exists(folder(options))
      let files = isEmpty && options.scenarioFolder == nil ? [] : try loadScenarios(options)
      let builtIn = files.count(where: \.isBuiltIn)
      let folder = escaped(folder(options))
      let inFolder = files.count > builtIn ? "\(files.count - builtIn) in \(folder)" : ""
      let ofTool = builtIn > 0 ? "\(builtIn) built in" : ""
      let found = [inFolder, ofTool].filter { !$0.isEmpty }.joined(separator: " and ")
      guard !found.isEmpty else {
        return Check(name: "scenarios", isGood: nil, text: "none: there is no \(folder)")
      }
      return Check(
        name: "scenarios", isGood: true, text: "\(found), for \(subjects.count) subjects\(lacking)")
    } catch {
      let more = error.errors.count > 1 ? " (and \(error.errors.count - 1) more)" : ""
      return Check(
        name: "scenarios", isGood: false, text: "\(error.errors.first?.description ?? "")\(more)")
    }
  }

  /// The reports that are written without an option.
  private var serviceCheck: Check {
    let invocation = try? parseArguments([], environment: environment)
    guard case .run(_, let options)? = invocation else {
      return Check(name: "reports", isGood: nil, text: "as the options ask for")
    }
    let unasked = options.outputFormats.sorted() + options.unaskedFiles.keys.sorted()
    let root = Repository(around: currentFolder).root
    return Check(
      name: "reports", isGood: nil,
      text: "Paths are relative to \(escaped(root)); without being asked: "
        + (unasked.isEmpty ? "none" : unasked.joined(separator: ", ")))
  }
}
