internal import CInterlock
internal import Synchronization

/// The settings of this process: the environment's, until code says otherwise.
final class Settings: Sendable {
  static let shared = Settings()

  private struct State {
    var onConflict = SectionTracking.ConflictAction.trap
    var onMisuse = SectionTracking.MisuseAction.log
    var exitCode = 66
    var stackDepth = Record.frameLimit
    var delays = false
    var delayPlan = DelayPlan()
    var followsOrder = false
    var exercise = false
    var wasExercised = false
    var requiresContention = false
    var isOff = false

    var hot: HotSettings {
      HotSettings(
        stackDepth: stackDepth, delays: delays, exercise: exercise, followsOrder: followsOrder,
        isOff: isOff)
    }
  }

  /// For how many seconds nothing may happen, if `INTERLOCK_OPTIONS` says so: what a watchdog
  /// keeps, where one is linked.
  let hangLimit: Double?

  /// What `INTERLOCK_OPTIONS` says of what does not go wrong and can; `nil` where nobody is to look
  /// for it.
  let prediction: SectionTracking.Prediction?

  /// Whether no line says what is armed.
  let isQuiet: Bool

  /// What is wrong with `INTERLOCK_OPTIONS`, a line each; all of it has been written to standard
  /// error.
  let optionErrors: [String]

  private let state: Guarded<State>

  private init() {
    var state = State()
    let (options, errors) = Options.parse(
      Platform.environment("INTERLOCK_OPTIONS") ?? "", linked: .linked)
    writeError(errors.map { $0 + "\n" }.joined())
    optionErrors = errors
    switch options.onConflict {
    case .trap: state.onConflict = .trap
    case .log: state.onConflict = .log
    case .record:
      state.onConflict = .record
      state.onMisuse = .record
    case nil: break
    }
    state.exitCode = options.exitCode ?? state.exitCode
    state.stackDepth = options.stackDepth ?? state.stackDepth
    state.delays = options.delays ?? state.delays
    state.delayPlan.budgetPercent = options.delayBudget ?? state.delayPlan.budgetPercent
    state.delayPlan.trapFile = options.trapFile
    if let seed = options.delaySeed { NearMissDelays.seed.store(seed, ordering: .relaxed) }
    state.requiresContention = options.requiresContention ?? state.requiresContention
    state.exercise = options.exercise ?? state.requiresContention
    state.wasExercised = state.exercise
    state.isOff = options.sections == false
    hangLimit = options.hangLimit
    isQuiet = options.quiet ?? false
    prediction =
      options.predicts == true
      ? .init(
        failsOnPotential: options.failOn == .potential, holdLimit: options.holdLimit) : nil
    // The end of a process that begins no section is judged too.
    if state.requiresContention, !state.isOff { interlock_watch_exit() }
    self.state = Guarded(state)
  }

  /// Makes the settings known to the path without a conflict.
  @inline(never)
  func publishHotSettings() -> HotSettings {
    let hot = state.withLock { $0.hot }
    hot.publish()
    return hot
  }

  var onConflict: SectionTracking.ConflictAction {
    get { state.withLock { $0.onConflict } }
    set { state.withLock { $0.onConflict = newValue } }
  }

  var onMisuse: SectionTracking.MisuseAction {
    get { state.withLock { $0.onMisuse } }
    set { state.withLock { $0.onMisuse = newValue } }
  }

  var exitCode: Int {
    get { state.withLock { $0.exitCode } }
    set { state.withLock { $0.exitCode = newValue } }
  }

  var stackDepth: Int {
    get { state.withLock { $0.stackDepth } }
    set { change { $0.stackDepth = min(max(newValue, 0), Record.frameLimit) } }
  }

  var delays: Bool {
    get { state.withLock { $0.delays } }
    set { change { $0.delays = newValue } }
  }

  var exercise: Bool {
    get { state.withLock { $0.exercise } }
    set {
      change {
        $0.exercise = newValue
        $0.wasExercised = $0.wasExercised || newValue
      }
    }
  }

  /// Whether `exercise` was ever on.
  var wasExercised: Bool { state.withLock { $0.wasExercised } }

  /// Whether the process's end is red where a resource was touched by one owner only, or no section
  /// was begun.
  var requiresContention: Bool {
    get { state.withLock { $0.requiresContention } }
    set { state.withLock { $0.requiresContention = newValue } }
  }

  var delayPlan: DelayPlan { state.withLock { $0.delayPlan } }

  /// Here, although it is no part of the state: what the environment says is read before anything
  /// is set.
  var delaySeed: UInt64 {
    // Relaxed: it holds from some decision soon after.
    get { NearMissDelays.seed.load(ordering: .relaxed) }
    set { NearMissDelays.seed.store(newValue, ordering: .relaxed) }
  }

  func startDelays(_ plan: DelayPlan) {
    change {
      $0.delayPlan = plan
      $0.delays = true
    }
  }

  var followsOrder: Bool {
    get { state.withLock { $0.followsOrder } }
    set { change { $0.followsOrder = newValue } }
  }

  private func change(_ body: (inout State) -> Void) {
    let hot = state.withLock { state in
      body(&state)
      return state.hot
    }
    hot.publish()
  }
}

extension SectionTracking {
  /// `hang_limit` of `INTERLOCK_OPTIONS`, in seconds; `nil` where it does not say.
  package static var hangLimit: Double? { Settings.shared.hangLimit }

  /// What `predict` and its companions of `INTERLOCK_OPTIONS` ask for.
  package struct Prediction: Sendable {
    /// Whether the process ends with `exitCode` where something is found.
    package var failsOnPotential: Bool
    /// From how many seconds on a lock that is held is told of; `nil` for never.
    package var holdLimit: Double?
  }

  /// What `INTERLOCK_OPTIONS` says of that; `nil` where nobody is to look.
  package static var prediction: Prediction? { Settings.shared.prediction }

  /// What is wrong with `INTERLOCK_OPTIONS`, a line each, which standard error has had.
  package static var optionErrors: [String] { Settings.shared.optionErrors }

  /// Whether `require_contention` of `INTERLOCK_OPTIONS` is on; it is off in this process from then
  /// on, which leaves it to the processes that it starts.
  package static func takeContentionRequirement() -> Bool {
    guard Settings.shared.requiresContention else { return false }
    Settings.shared.requiresContention = false
    Settings.shared.exercise = false
    return true
  }

  /// Writes a line to standard error that says what is armed, unless `quiet=on` leaves it out.
  package static func announce(_ line: String) {
    if !Settings.shared.isQuiet { writeError("interlock: \(line)\n") }
  }
}

extension SectionTracking.ConflictAction {
  /// Whether no thread passes a conflict.
  var stops: Bool {
    if case .trap = self { true } else { false }
  }

  /// Whether nobody is told in a way that could be acted on: the exit code tells it at the end.
  var leavesUnhandled: Bool {
    switch self {
    case .log, .record: true
    case .trap, .handler: false
    }
  }
}

/// C's door: reads `INTERLOCK_OPTIONS`, once, and writes what is wrong with it to standard error.
/// Called before `main`.
@_cdecl("interlock_read_options")
func readOptions() { _ = Settings.shared }
