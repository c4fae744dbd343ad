import Findings
import Foundation
import Reports
import StressRunner

/// The baseline of a run: the old findings of a file, and the results of the run for them.
struct RunBaseline {
  /// The most findings listed of each kind.
  private static let mostLines = 20

  private let path: String
  /// The old findings.
  let known: KnownFindings
  private let today: String
  private let failing: FailureSettings
  /// The file for the new state; `nil` if it is not written.
  private let update: FinishedFile?

  private var findings = FindingList()
  private var trials: [Finding.Key: Set<String>] = [:]
  private var attempts: [String: Int] = [:]
  private var run = KnownFindings.Run()
  private var hasSkipped = false
  /// The number of trials with a new finding that makes the run red.
  private(set) var redTrials = 0

  /// Reads the file that the options name; `nil` if they name none.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - failing: The reasons for a red run other than the baseline.
  ///   - began: The beginning of the run, in seconds since 1970.
  ///   - command: The command, for messages.
  /// - Throws: An error in the options, or in the file.
  init?(
    _ options: Options, _ failing: FailureSettings, began: Int, of command: CommandName
  ) throws {
    guard let path = options.baseline else {
      let other =
        options.updatesBaseline
        ? "--update-baseline" : options.failsOn.contains(.stale) ? "--fail-on stale" : nil
      guard let other else { return nil }
      throw UsageError("The option '\(other)' needs '--baseline <file>'", command)
    }
    self.path = path
    update =
      options.updatesBaseline
      ? try FinishedFile(path: path, option: "baseline", of: command) : nil
    let isNew = update != nil && !FileManager.default.fileExists(atPath: path)
    known = isNew ? KnownFindings() : try Self.read(path)
    today = ProcessBaseline.day(of: Date(timeIntervalSince1970: Double(began)))
    self.failing = failing
  }

  private static func read(_ path: String) throws(ScenarioErrors) -> KnownFindings {
    do throws(ScenarioError) {
      let bytes = try RegularFile.read(path, atMost: KnownFindings.mostBytes)
      do throws(KnownFindingsError) {
        return try KnownFindings(bytes)
      } catch {
        throw ScenarioError(path: path, line: error.line, message: error.message)
      }
    } catch {
      throw ScenarioErrors(errors: [error])
    }
  }

  /// The reasons for a red run, with the old findings.
  var settings: FailureSettings {
    var settings = failing
    settings.known = known
    settings.today = today
    return settings
  }

  /// Adds the result of a trial.
  mutating func add(_ result: TrialResult, _ context: ReportContext) {
    let trial = "\(context.activity) \(result.trial.scenario.name) \(result.trial.subject)"
    if result.isMet == nil { hasSkipped = true } else { run.judged.insert(trial) }
    attempts["\(result.trial.scenario.name)\u{0}\(result.trial.subject)", default: 0] += 1
    let all = result.findings(settings, context)
    for finding in all {
      findings.add(finding)
      run.found.insert(finding.key)
      run.matched.formUnion(known.suppressions.filter { $0.matches(finding) })
      trials[finding.key, default: []].insert(trial)
    }
    if all.contains(where: { $0.level == .error && $0.knownBecause == nil }) { redTrials += 1 }
  }

  /// The result for the baseline.
  struct End {
    /// The text, with a line break at its end.
    var text: String
    /// True if the run is red apart from its skipped trials: because of new findings, or of stale
    /// entries if these count.
    var isRed: Bool
    /// Why the file could not be written; `nil` if it was written or need not be.
    var failure: (path: String, reason: String)?
  }

  /// Ends the run.
  ///
  /// - Parameters:
  ///   - isComplete: True if every planned trial was judged or skipped.
  ///   - isWhole: True if every scenario was planned for every subject.
  ///   - failsOnStale: True if stale entries make the run red.
  /// - Returns: The text to print, and whether the run is red.
  func end(isComplete: Bool, isWhole: Bool, failsOnStale: Bool) -> End {
    var run = run
    run.isWhole = isComplete && isWhole && !hasSkipped
    let all = findings.all { attempts["\($0.group)\u{0}\($0.name)"] }
    guard let update else { return report(all, run, failsOnStale) }
    guard isComplete else {
      return End(text: "\(escaped(path)) is not updated: the run ended early\n", isRed: true)
    }
    let next = known.updated(
      by: all, trials: { trials[$0.key].map { $0.sorted() } ?? [] }, run,
      reason: "accepted by --update-baseline on \(today)")
    if let reason = update.write(next.text) {
      return End(text: "", isRed: true, failure: (path, reason))
    }
    let before = Set(known.entries.map(\.key))
    let after = Set(next.entries.map(\.key))
    return End(
      text: "\(escaped(path)): written with \(counted(after.count, "known finding")),"
        + " \(after.subtracting(before).count) new, \(before.subtracting(after).count) removed\n",
      isRed: false)
  }

  private func report(
    _ all: [Finding], _ run: KnownFindings.Run, _ failsOnStale: Bool
  ) -> End {
    let shown = all.filter { $0.knownBecause != nil }
    let stale =
      known.staleEntries(run).map { ($0.key.text, $0.line) }
      + known.staleSuppressions(run).map { ($0.text, $0.line) }
    let expired = known.expired(on: today)
    var text = "\(escaped(path)): \(counted(shown.count, "known finding")) shown and not failed"
    if !stale.isEmpty { text += ", \(stale.count) stale" }
    if !expired.isEmpty { text += ", \(expired.count) expired" }
    text += "\n"
    text += lines("known", shown.map { $0.headline })
    text += lines("stale", stale.map { "\($0.0) (line \($0.1))" })
    text += lines("expired", expired)
    return End(text: text, isRed: redTrials > 0 || failsOnStale && !stale.isEmpty)
  }

  private func lines(_ sort: String, _ texts: [String]) -> String {
    var lines = texts.prefix(Self.mostLines).map { "  \(sort): \(escaped($0))\n" }
    if texts.count > Self.mostLines {
      lines.append("  \(sort): … \(texts.count - Self.mostLines) more\n")
    }
    return lines.joined()
  }

  private func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
