import CInterlockHarness
import Comparison
import Foundation
import Findings
import Interlock
import Reports
import StressRunner

/// `compare`: judges every strategy, measures the correct ones, and prints the conclusion.
final class CompareCommand {
  /// A format and the file that its option names; standard output if there is no file.
  private struct ReportFile {
    var format: ComparisonFormat
    var path: String
    var file: FinishedFile?
  }

  /// The figures of the baseline.
  private struct EarlierFigures {
    /// The ratios of the strategies that passed the correctness pass.
    var ratios: Baseline.Ratios
    /// The contestants with figures in the baseline, also those that have a fault now.
    var measured: [String]
  }

  private let world: World
  private let options: Options
  private let text: any TextSink
  private let style: TextStyle
  private var progress = CompareProgress()
  private var result: ComparisonRecord

  init(world: World, options: Options) {
    self.world = world
    var options = options
    // Measure quickly: figures of a debug build are not worth more time.
    if world.isDebugBuild, !options.compare.saysHowMuch { options.compare.isQuick = true }
    self.options = options
    text = options.reportFiles.values.contains("-") ? world.errors : world.output
    style = TextStyle(
      color: options.color == .always || options.color == .auto && text.width != nil)
    result = ComparisonRecord(
      strategies: [], seed: options.seed ?? 1, roundSeconds: 0, plannedRounds: 0)
  }

  func perform(_ scenarios: [String]) throws -> ExitCode {
    if world.isDebugBuild, options.compare.baseline != nil, !options.compare.allowsDebug {
      throw UsageError(
        "This is a debug build, whose figures are not those of the code that ships: build with"
          + " '-c release' to compare with a baseline, or give '--allow-debug'", .compare)
    }
    if options.compare.maxRegression != nil, options.compare.baseline == nil {
      throw UsageError("'--max-regression' needs a '--baseline' to compare with", .compare)
    }
    let loaded = scenarios.isEmpty ? [] : try world.loadScenarios(options)
    let field = try CompareField(
      scenarios, options, strategies: world.strategies, subjects: world.subjects,
      scenarios: loaded.map(\.scenario))
    let baseline = try options.compare.baseline.map { try readBaseline($0, field) }
    var plan = try measurementPlan(field, contestants: field.contestants.count)
    try checkRate(field, plan)
    let files = try reportFiles()
    announce(field, plan)

    interlock_interrupts_begin()
    defer { interlock_interrupts_end() }
    var isInterrupted = try !passes(field)
    let sound = field.contestants.filter { contestant in
      result.strategies.contains { $0.name == contestant.name && $0.fault == nil }
    }
    let before = isInterrupted ? nil : try baseline.map { try earlier($0, field, sound) }
    if !isInterrupted, !sound.isEmpty {
      plan = try measurementPlan(field, contestants: sound.count)
      isInterrupted = !measure(field, sound, plan)
    }
    return report(field, before, isInterrupted: isInterrupted, into: files)
  }

  private var build: String { world.isDebugBuild ? "debug" : "release" }

  // MARK: Before

  /// Checks that the file of each format that an option names can be written.
  private func reportFiles() throws(UsageError) -> [ReportFile] {
    try options.checkFiles(of: .compare)
    var files: [ReportFile] = []
    for format in ComparisonFormat.all {
      guard let path = options.reportFiles[format.name] else { continue }
      let file =
        path == "-" ? nil : try FinishedFile(path: path, option: format.name, of: .compare)
      files.append(ReportFile(format: format, path: path, file: file))
    }
    return files
  }

  private func checkRate(_ field: CompareField, _ plan: MeasurementPlan) throws(UsageError) {
    guard let rate = options.compare.rate else { return }
    guard field.cells.allSatisfy({ $0.driver == .threads }) else {
      throw UsageError(
        "The option '--rate <calls/s>' needs callers that can wait by themselves: give '--driver"
          + " threads'", .compare)
    }
    let callers = field.cells.map(\.threads).max() ?? 1
    let calls = plan.roundSeconds * rate / Double(callers)
    guard calls < Double(Pace.fewestCalls) else { return }
    let needed = Int((Double(Pace.fewestCalls * callers) / plan.roundSeconds).rounded(.up))
    let many = "\(callers) caller\(callers == 1 ? "" : "s")"
    throw UsageError(
      "The value '\(ValueFormat<Double>.shortText(rate))' is invalid for '--rate <calls/s>': each"
        + " of \(many) would make \(factorText(calls)) calls in a round of"
        + " \(Int((plan.roundSeconds * 1000).rounded())) ms, expected at least \(Pace.fewestCalls):"
        + " give at least \(needed), or fewer callers by '--threads <list>'", .compare)
  }

  /// Reads the baseline, and checks what is known before the correctness pass.
  private func readBaseline(_ path: String, _ field: CompareField) throws -> BaselineFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw UsageError(
        "The value '\(printable(path))' is invalid for '--baseline <file>': it cannot be read",
        .compare)
    }
    do throws(ScenarioError) {
      let file = try BaselineFile([UInt8](data), path: path)
      try file.check(
        rate: options.compare.rate, build: options.compare.allowsDebug ? nil : build,
        cells: field.cells.map(\.name))
      return file
    } catch {
      throw ScenarioErrors(errors: [error])
    }
  }

  /// The figures of the baseline for the strategies that passed the correctness pass. A strategy
  /// with a fault is not measured, so the baseline needs no figures of it.
  private func earlier(
    _ file: BaselineFile, _ field: CompareField, _ sound: [Contestant]
  ) throws -> EarlierFigures {
    let cells = field.cells.map(\.name)
    let measured = field.contestants.map(\.name).filter { file.hasFigures(of: $0, in: cells) }
    let names = sound.map(\.name)
    guard names.contains(field.reference) else {
      return EarlierFigures(ratios: Baseline.Ratios(byCell: [:]), measured: measured)
    }
    do throws(ScenarioError) {
      let ratios = try file.ratios(to: field.reference, cells: cells, strategies: names)
      return EarlierFigures(ratios: ratios, measured: measured)
    } catch {
      throw ScenarioErrors(errors: [error])
    }
  }

  private func measurementPlan(
    _ field: CompareField, contestants: Int
  ) throws -> MeasurementPlan {
    do throws(MeasurementPlan.Failure) {
      return try MeasurementPlan(
        cells: field.cells.count, contestants: contestants,
        seconds: options.compare.measuringSeconds, rounds: options.compare.rounds,
        seed: result.seed)
    } catch .tooLong(let seconds) {
      throw UsageError(
        "\(field.cells.count) workloads of \(contestants) strategies take at least"
          + " \(timeText(seconds)), and there are \(timeText(options.compare.measuringSeconds)): give"
          + " more by '--time <seconds>', or fewer workloads"
          + (options.compare.isQuick ? "" : ", as by '--quick'"), .compare)
    }
  }

  private func announce(_ field: CompareField, _ plan: MeasurementPlan) {
    let build =
      world.isDebugBuild
      ? "debug build, for a first look: its figures are not those of a release build; " : ""
    let count = field.contestants.count
    let cells = field.cells.count
    text.write(
      "\(build)\(count) \(field.isOfCaches ? "cache" : "strateg")"
        + "\(field.isOfCaches ? (count == 1 ? "" : "s") : count == 1 ? "y" : "ies") on"
        + " \(cells) workload\(cells == 1 ? "" : "s"), in rounds of"
        + " \(Int((plan.roundSeconds * 1000).rounded())) ms:"
        + " about \(timeText(plan.seconds)), after the correctness pass\n")
    result.check = CorrectnessPass.sight(
      tracksSections: world.tracksSections, isOfCaches: field.isOfCaches)
    text.write("correctness first: \(result.check)\n")
    result.notes = field.notes
    if let rate = options.compare.rate {
      result.rate = rate
      result.notes.append("latencies count from when a call was due")
    }
  }

  // MARK: Correctness

  /// Judges every strategy. Returns false after an interrupt.
  private func passes(_ field: CompareField) throws -> Bool {
    result.strategies = field.contestants.map {
      .init(
        name: $0.name, summary: $0.summary, bytesPerLock: $0.bytesPerLock,
        fault: field.missing[$0.name].map { .init(verdict: "skipped", message: $0) })
    }
    let pass = CorrectnessPass(field)
    guard !pass.trials.isEmpty else { return true }
    var done = 0
    let ending = try world.runTrials(options.jobs ?? world.defaultJobs, pass.trials) { event in
      guard case .finished(let index, let verdict) = event else { return }
      done += 1
      if let fault = CorrectnessPass.fault(verdict) { note(fault, of: pass.owner(of: index)) }
      show("correctness", done: Double(done) / Double(pass.trials.count), secondsLeft: nil)
    }
    if let width = text.width, width > 0 { text.write(progress.clear()) }
    if case .failed(let reason) = ending { throw RunnerFault(reason: reason) }
    return ending == .completed
  }

  private func note(_ fault: ComparisonRecord.Fault, of name: String) {
    for index in result.strategies.indices where result.strategies[index].name == name {
      result.strategies[index].fault = result.strategies[index].fault ?? fault
    }
  }

  // MARK: Measuring

  /// Turns interposition off. Every strategy has been judged, with its calls followed, in separate
  /// processes; this process only measures.
  private func leaveCallsUnseen() {
    guard world.sight == .everything || world.sight == .withoutDispatch else { return }
    guard let pair = world.leaveCallsUnseen() else {
      result.notes.append(
        "this build sees the calls that wait and wake, which costs a few nanoseconds a call of the C"
          + " library's and Dispatch's locks; '--traits UnseenCalls' leaves that out")
      return
    }
    result.notes.append(
      "the measurement observes no call: a lock of a library costs what it costs without Interlock,"
        + " a mutex pair in this executable's code"
        + " \(latencyText(max(0, pair.interposed - pair.real))) more"
        + " (\(latencyText(pair.interposed)) against \(latencyText(pair.real)))")
  }

  /// Measures the contestants. Returns false after an interrupt.
  private func measure(
    _ field: CompareField, _ contestants: [Contestant], _ plan: MeasurementPlan
  ) -> Bool {
    leaveCallsUnseen()
    result.roundSeconds = plan.roundSeconds
    result.plannedRounds = plan.rounds
    let measurer = Measurer(
      field.cells, calls: field.calls, contestants, plan, rate: options.compare.rate, into: result)
    let start = world.now()
    let deadline = start + plan.seconds * 1.08
    let isDone = measurer.run(until: deadline, now: world.now) { progress in
      let part = Double(progress.done) / Double(progress.planned)
      let spent = world.now() - start
      show("measuring", done: part, secondsLeft: part > 0.02 ? spent / part - spent : nil)
      return !interlock_interrupted()
    }
    if isDone { measurer.measureOverhead() }
    if text.width != nil { text.write(progress.clear()) }
    result = measurer.result
    if let missed = MissedRate(result) { result.notes.append(missed.text) }
    return isDone
  }

  private func show(_ what: String, done: Double, secondsLeft: Double?) {
    guard let width = text.width else { return }
    text.write(progress.line(what, done: done, secondsLeft: secondsLeft, width: width))
  }

  // MARK: After

  private func report(
    _ field: CompareField, _ baseline: EarlierFigures?, isInterrupted: Bool,
    into files: [ReportFile]
  ) -> ExitCode {
    let context = ReportContext(
      version: World.version, host: world.host, seed: options.seed, command: world.command,
      sight: world.sight)
    var report = ComparisonReport(
      result, reference: field.reference, difference: options.compare.difference,
      context: context, build: build)
    report.settings.style = style
    report.settings.isVerbose = options.isVerbose
    report.settings.width = { [text] in text.width }
    for format in ComparisonFormat.all where format.destination == .terminal {
      text.write("\n" + format.text(report))
    }
    let holds = baseline.map { holdsUp(to: $0, field) } ?? true
    var hasFailed = false
    for file in files {
      let document = file.format.text(report)
      guard let destination = file.file else {
        world.output.write(document)
        continue
      }
      guard let reason = destination.write(document) else { continue }
      world.errors.write("error: '\(escaped(file.path))' could not be written: \(reason)\n")
      hasFailed = true
    }
    if hasFailed { return .ourFault }
    if world.isDebugBuild {
      text.write(
        "\nA release build may have another order: swift run -c release \(world.command) compare\n")
    }
    if isInterrupted {
      text.write("interrupted after \(result.completeRounds) of \(result.plannedRounds) rounds\n")
      return .interrupted
    }
    if result.ranked.isEmpty {
      world.errors.write("error: nothing was measured: no strategy is correct on this workload\n")
      return .unmet
    }
    return holds ? .met : .unmet
  }

  /// Prints the strategies that are slower than in the baseline, and those that have figures there
  /// and a fault now. Returns false if there is one, or if none could be compared.
  private func holdsUp(to before: EarlierFigures, _ field: CompareField) -> Bool {
    let reference = field.reference
    guard result.ranked.contains(reference) else {
      text.write("\n✗ nothing can be compared with the baseline: \(reference) has no rank\n")
      return false
    }
    let baseline = Baseline(limit: options.compare.regressionLimit)
    let now = Baseline.Ratios(result, to: reference)
    let limit = "\(factorText(1 + options.compare.regressionLimit)) ×"
    let lost = result.strategies.filter { $0.fault != nil && before.measured.contains($0.name) }
    for strategy in lost {
      text.write(
        "\n✗ \(strategy.name) has figures in the baseline, and now no rank:"
          + " \(strategy.fault?.verdict ?? "")")
    }
    let slower = baseline.regressions(now, since: before.ratios)
    for found in slower {
      text.write(
        "\n✗ \(found.strategy) is \(factorText(found.slowdown.median)) × slower than in the"
          + " baseline (\(factorText(found.slowdown.low)) to \(factorText(found.slowdown.high));"
          + " allowed: \(limit)), in terms of \(reference): \(found.cell)")
    }
    if slower.isEmpty {
      text.write(
        "\nno strategy is known to be more than \(limit) slower than in the baseline, in terms of"
          + " \(reference)")
    }
    let open = baseline.undecided(now, since: before.ratios).count
    if open > 0 {
      let all = now.byCell.values.reduce(0) { $0 + $1.count }
      text.write(
        "\n\(open) of \(all) figures are too uncertain to exclude it: more rounds would tell")
    }
    text.write("\n")
    return slower.isEmpty && lost.isEmpty
  }
}
