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
    var requiresContention = false
    var isOff = false

    var hot: HotSettings {
      HotSettings(
        stackDepth: stackDepth, delays: delays, exercise: exercise, followsOrder: followsOrder,
        isOff: isOff)
    }
  }

  /// For how many seconds nothing may happen, if `INTERLOCK_OPTIONS` says so: what a watchdog keeps, where one is
  /// linked.
  let hangLimit: Double?

  /// What `INTERLOCK_OPTIONS` says of what does not go wrong and can; `nil` where nobody is to look for it.
  let prediction: SectionTracking.Prediction?

  private let state: Guarded<State>

  private init() {
    var state = State()
    let (options, errors) = Options.parse(Platform.environment("INTERLOCK_OPTIONS") ?? "")
    for error in errors { writeError(error + "\n") }
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
    state.isOff = options.isOff ?? state.isOff
    hangLimit = options.hangLimit
    prediction =
      options.predicts == true
      ? .init(
        failsOnPotential: options.failsOnPotential ?? false, holdLimit: options.holdLimit) : nil
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
    set { change { $0.exercise = newValue } }
  }

  /// Whether the process's end is red where a resource was touched by one owner only.
  var requiresContention: Bool { state.withLock { $0.requiresContention } }

  var delayPlan: DelayPlan { state.withLock { $0.delayPlan } }

  /// Here, although it is no part of the state: what the environment says is read before anything is set.
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
