internal import CMarks
internal import SectionTable
internal import Synchronization

/// The settings of this process. They come from the environment, until code changes them.
final class Settings: Sendable {
  static let shared = Settings()

  private struct State {
    var onConflict: SectionTracking.ConflictAction
    var onMisuse: SectionTracking.MisuseAction
    var exitCode: Int
    var stackDepth: Int
    var delays: Bool
    var delayPlan: DelaySettings
    var followsOrder = false
    var coverage: Bool
    var wasCovered: Bool
    var requiresContention: Bool
    var isOff: Bool

    init(_ sections: SectionOptions, _ common: CommonOptions) {
      switch sections.onConflict {
      case .trap: (onConflict, onMisuse) = (.trap, .log)
      case .log: (onConflict, onMisuse) = (.log, .log)
      case .record: (onConflict, onMisuse) = (.record, .record)
      }
      exitCode = common.exitCode
      stackDepth = sections.stackDepth
      delays = sections.delays
      delayPlan = DelaySettings(budgetPercent: sections.delayBudget, trapFile: sections.trapFile)
      requiresContention = sections.requiresContention
      coverage = sections.coverage ?? sections.requiresContention
      wasCovered = coverage
      isOff = !sections.sections
    }

    var hot: HotSettings {
      HotSettings(
        stackDepth: stackDepth, delays: delays, coverage: coverage, followsOrder: followsOrder,
        isOff: isOff, isExplored: ExploredSections.isOn, isScoped: ConflictScopes.isOn)
    }
  }

  private let state: Guarded<State>

  private init() {
    let variable = OptionVariable.ofThisProcess
    let state = State(variable[SectionOptions.self], variable[CommonOptions.self])
    // Relaxed: no section reads the seed yet.
    if let seed = variable[SectionOptions.self].delaySeed {
      NearMissDelays.seed.store(seed, ordering: .relaxed)
    }
    // Watch the exit here: a process that begins no section must report that too.
    if state.coverage, !state.isOff { interlock_watch_exit() }
    self.state = Guarded(state)
  }

  /// Publishes the settings to the fast path.
  @inline(never)
  func publishHotSettings() -> HotSettings { change { _ in } }

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

  var coverage: Bool {
    get { state.withLock { $0.coverage } }
    set {
      change {
        $0.coverage = newValue
        $0.wasCovered = $0.wasCovered || newValue
      }
    }
  }

  /// True if `coverage` was ever on.
  var wasCovered: Bool { state.withLock { $0.wasCovered } }

  /// True if the process exits with 1 if a resource had only one owner, or no section was begun.
  var requiresContention: Bool {
    get { state.withLock { $0.requiresContention } }
    set { state.withLock { $0.requiresContention = newValue } }
  }

  var delayPlan: DelaySettings { state.withLock { $0.delayPlan } }

  /// Not part of the state. It is here because reading it must first read the environment.
  var delaySeed: UInt64 {
    // Relaxed: the seed takes effect at a later decision.
    get { NearMissDelays.seed.load(ordering: .relaxed) }
    set { NearMissDelays.seed.store(newValue, ordering: .relaxed) }
  }

  func startDelays(_ plan: DelaySettings) {
    change {
      $0.delayPlan = plan
      $0.delays = true
    }
  }

  var followsOrder: Bool {
    get { state.withLock { $0.followsOrder } }
    set { change { $0.followsOrder = newValue } }
  }

  @discardableResult
  private func change(_ body: (inout State) -> Void) -> HotSettings {
    state.withLock { state in
      body(&state)
      let hot = state.hot
      // Publish under the lock, so that another thread's later change is not undone.
      hot.publish()
      return hot
    }
  }
}

extension SectionTracking {
  /// Returns true if `require_contention` of `INTERLOCK_OPTIONS` is on, and switches it and
  /// `coverage` off in this process. The processes that this one starts still obey both.
  package static func takeContentionRequirement() -> Bool {
    let isRequired = Settings.shared.requiresContention
    Settings.shared.requiresContention = false
    Settings.shared.coverage = false
    return isRequired
  }

  /// Writes a line about active checks to standard error, unless `quiet=on` suppresses it.
  package static func announce(_ line: String) {
    let options = OptionVariable.ofThisProcess[CommonOptions.self]
    if !options.isQuiet { writeError("interlock: \(line)\n") }
  }
}

extension SectionTracking.ConflictAction {
  /// True if no thread continues past a conflict.
  var stops: Bool {
    if case .trap = self { true } else { false }
  }

  /// True if no code can act on the conflict: the exit code reports it at the end.
  var leavesUnhandled: Bool {
    switch self {
    case .log, .record: true
    case .trap, .handler: false
    }
  }
}
