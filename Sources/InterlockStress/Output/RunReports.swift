import Findings
import Foundation
import Reports
import StressRunner

/// The outputs of a run: the terminal, and the file of each format that an option names.
final class RunReports {
  private struct Finished {
    var format: ReportFormat
    var reporter: any Reporter
    var file: FinishedFile
    /// The path of a file that no option names; `nil` if an option names it.
    var unaskedPath: String?
    var text = ""
  }

  /// Standard output; standard error if a report uses standard output.
  let text: any TextSink
  private var terminal: (any Reporter)?
  private var growing: [(format: ReportFormat, report: GrowingReport)] = []
  private var finished: [Finished] = []
  private var outputs: [any Reporter] = []
  /// Reporters whose text is added to the file of a CI service.
  private var added: [(path: String, reporter: any Reporter)] = []
  private let errors: any TextSink
  private var baseline: RunBaseline?
  private var context: ReportContext?
  /// True if new findings, or stale entries of the baseline if these count, make the run red; `nil`
  /// without a baseline.
  private(set) var isRedByBaseline: Bool?
  private var display = ProgressDisplay([])
  private let paths: [String: String]
  private var summary = ReportSummary()
  private(set) var results: [TrialResult] = []
  /// Results that the terminal shows later, after those of the preceding trials in the plan.
  private var held: [Int: TrialResult] = [:]
  private var shownCount = 0

  /// True if an output shows details of all trials that passed.
  static func showsPassed(_ formats: [ReportFormat], _ options: Options) -> Bool {
    let files = options.freeUnaskedFiles.merging(options.reportFiles) { $1 }
    return formats.contains { format in
      guard format.showsPassed else { return false }
      return switch format.destination {
      case .growingFile, .finishedFile: files[format.name] != nil
      case .terminal, .output, .environmentFile: true
      }
    }
  }

  /// Opens the files that the options name, without emptying any.
  ///
  /// - Throws: An error for the first file that cannot be written.
  init(
    _ formats: [ReportFormat], _ options: Options, of command: CommandName, in world: World
  ) throws {
    try options.checkFiles(of: command)
    let unasked = options.freeUnaskedFiles
    var files = unasked.merging(options.reportFiles) { $1 }
    errors = world.errors
    let text = files.values.contains("-") ? world.errors : world.output
    self.text = text
    var settings = ReportSettings()
    settings.style = TextStyle(
      color: options.color == .always || options.color == .auto && text.width != nil)
    settings.isVerbose = options.isVerbose
    settings.requiresContention = options.requiresContention
    settings.failing.onPotential = options.failsOnPotential
    settings.failing.onSkipped = options.failsOnSkipped
    baseline = try RunBaseline(options, settings.failing, began: world.began, of: command)
    if let baseline { settings.failing = baseline.settings }
    settings.width = { text.width }
    terminal = formats.first { $0.destination == .terminal }?.make(settings)
    // A finished file is created only when the run is over.
    for format in formats where format.destination == .finishedFile {
      guard let path = files[format.name] else { continue }
      do throws(UsageError) {
        finished.append(
          Finished(
            format: format, reporter: format.make(settings),
            file: try FinishedFile(path: path, option: format.name, of: command),
            unaskedPath: unasked[format.name]))
      } catch {
        guard unasked[format.name] != nil else { throw error }
        files[format.name] = nil
        world.errors.write("warning: '\(escaped(path))' is not written: it cannot be\n")
      }
    }
    for format in formats where format.destination == .growingFile {
      guard let path = files[format.name] else { continue }
      growing.append(
        (
          format,
          try GrowingReport(
            format.make(settings), path: path, option: format.name, of: command,
            output: world.output)
        ))
    }
    paths = files
    for format in formats {
      switch format.destination {
      case .output where options.outputFormats.contains(format.name):
        outputs.append(format.make(settings))
      case .environmentFile(let variable):
        let path = world.environment[variable] ?? ""
        if !path.isEmpty, options.outputFormats.contains("github") {
          added.append((path, format.make(settings)))
        }
      default: break
      }
    }
  }

  /// Begins every report.
  func begin(_ trials: [Trial], _ context: ReportContext) {
    summary.planned = trials.count
    self.context = context
    display = ProgressDisplay(trials)
    for (_, report) in growing { report.begin(trials, context, summary) }
    if let begun = terminal?.begin(trials, context) { text.write(begun) }
    for index in finished.indices {
      finished[index].text = finished[index].reporter.begin(trials, context)
    }
    for index in outputs.indices { text.write(outputs[index].begin(trials, context)) }
    for index in added.indices { _ = added[index].reporter.begin(trials, context) }
  }

  /// Shows that a trial runs.
  func started(_ index: Int) {
    display.started(index)
    show("")
  }

  /// Adds the result of a trial to every report.
  func result(_ result: TrialResult, index: Int) {
    results.append(result)
    summary.add(result)
    if let context { baseline?.add(result, context) }
    // Write the files first: if the runner is killed now, no judged result is lost.
    for (_, report) in growing { report.result(result, summary) }
    for index in finished.indices {
      finished[index].text += finished[index].reporter.result(result)
    }
    for index in outputs.indices { _ = outputs[index].result(result) }
    for index in added.indices { _ = added[index].reporter.result(result) }
    display.finished(index, result)
    held[index] = result
    var lines = ""
    while let next = held.removeValue(forKey: shownCount) {
      lines += terminal?.result(next) ?? ""
      shownCount += 1
    }
    show(lines)
  }

  /// Removes the lines of running trials.
  func clear() {
    if text.width != nil { text.write(display.clear()) }
  }

  /// Ends every report.
  ///
  /// - Parameters:
  ///   - seconds: The duration of the run.
  ///   - isComplete: True if every planned trial was judged or skipped.
  ///   - isWhole: True if every scenario was planned for every subject.
  ///   - failsOnStale: True if stale entries of the baseline make the run red.
  /// - Returns: The files that could not be written, each with the reason.
  func end(
    seconds: Double, isComplete: Bool, isWhole: Bool, failsOnStale: Bool
  ) -> [(path: String, reason: String)] {
    summary.seconds = seconds
    for (_, report) in growing { report.end(summary) }
    for index in held.keys.sorted() {
      if let result = held[index] { text.write(terminal?.result(result) ?? "") }
    }
    if let terminal { text.write(terminal.end(summary)) }
    let end = baseline?.end(isComplete: isComplete, isWhole: isWhole, failsOnStale: failsOnStale)
    isRedByBaseline = end?.isRed
    text.write(end?.text ?? "")
    for reporter in outputs { text.write(reporter.end(summary)) }
    for (path, reporter) in added {
      guard let reason = appendText(reporter.end(summary), to: path) else { continue }
      errors.write("warning: '\(escaped(path))' could not be written: \(reason)\n")
    }
    var failures = growing.map { ($0.format, $0.report.failure) }
    for report in finished {
      let failure = report.file.write(report.text + report.reporter.end(summary))
      failures.append((report.format, failure))
      if failure == nil, let path = report.unaskedPath {
        errors.write("note: \(ServiceReports.note(escaped(path)))\n")
      }
    }
    return failures.compactMap { format, reason in
      reason.flatMap { reason in paths[format.name].map { ($0, reason) } }
    } + [end?.failure].compactMap(\.self)
  }

  /// True if a file is written when the run is over.
  var hasFinishedFiles: Bool { !finished.isEmpty }

  private func show(_ permanent: String) {
    if let width = text.width, let height = text.height {
      text.write(display.redraw(above: permanent, width: width, height: height))
    } else if !permanent.isEmpty {
      text.write(permanent)
    }
  }
}
