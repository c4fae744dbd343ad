/// Distinguishes a stalled child from a slow one. A pure function of the samples.
///
/// A child is stalled under three conditions: no call has completed over the stall window; no
/// thread has really run in the last stretch; and every thread is asleep in every sample of the
/// last moments. The stretch contains at least one tick of the Dispatch pool's monitor (once a
/// second on Linux), so that a pool that can grow has grown. The monitor's own activity is allowed:
/// it wakes once a second, and may start a thread, which runs briefly and blocks like the others.
///
/// A timer that is set may end a wait. Until it expires the child is not stalled, and the window
/// restarts at that time. A timer counts even if later samples do not show it, because the
/// monitor's own timer on the same descriptor hides it.
struct StallDetector {
  /// A sampled thread.
  struct Thread {
    /// The system thread id.
    var id: Int
    /// True if the thread is asleep. A thread that runs, is runnable, waits for a device or was
    /// stopped is not asleep.
    var isAsleep: Bool
    /// The number of context switches, voluntary and involuntary.
    var switches: Int
  }

  /// The child at one moment.
  struct Sample {
    /// The seconds since the child was started.
    var seconds: Double
    /// The number of completed calls.
    var completed: Int
    /// The processor time of the whole child, in seconds.
    var cpuSeconds: Double
    /// The threads; `nil` if they were not sampled (see `needsThreads`).
    var threads: [Thread]?
    /// The time at which the last of the user's timers expires, in seconds since the child was
    /// started; `nil` if no timer is set, or timers were not sampled.
    var wakesAt: Double?
  }

  /// The conclusion from the samples so far.
  enum Decision {
    /// The child makes progress, or can.
    case going
    /// Every thread is asleep and none has run: stalled, unless a thread waits for time to pass.
    case suspected
  }

  /// The shortest time before a stall is reported, in seconds. A pool's monitor ticks once a
  /// second, and one tick must have passed.
  static let poolGrowthSeconds = 1.2
  /// The seconds before the decision in which every sample must find every thread asleep.
  private static let strictSeconds = 0.25
  /// The least number of samples in that time.
  private static let strictSamples = 4
  /// The longest gap between samples, in seconds. After a longer gap, the runner itself had no
  /// processor and has missed the time between.
  private static let longestGap = 0.5
  /// The seconds by which a timer's work may start late.
  private static let timerMargin = 0.3

  private let window: Double
  private let quietNeeded: Double
  private var last: Sample?
  private var progressAt = 0.0
  private var wakesAt = 0.0
  private var quietSince = 0.0
  private var baseline: (seconds: Double, cpuSeconds: Double, switches: [Int: Int], new: Int)?
  private var asleepSince = 0.0
  private var asleepSamples = 0

  /// Creates a detector with a stall window, in seconds.
  init(stallSeconds: Double) {
    window = max(stallSeconds, Self.poolGrowthSeconds)
    quietNeeded = min(window - 0.6, Self.poolGrowthSeconds)
  }

  /// The time at which the last call completed, or the workload began, in seconds.
  var lastProgress: Double { progressAt }

  /// True if every thread has been asleep in each sample of the last moments.
  var isAsleep: Bool {
    guard let last else { return false }
    return asleepSamples >= Self.strictSamples && last.seconds - asleepSince >= Self.strictSeconds
  }

  /// True if the next sample should include the threads. While calls complete, the cost is not
  /// justified.
  func needsThreads(completed: Int, seconds: Double) -> Bool {
    guard let last, last.completed == completed else { return false }
    return seconds - progressAt >= 0.4
  }

  /// Adds a sample.
  mutating func feed(_ sample: Sample) -> Decision {
    let previous = last
    last = sample
    guard let previous, previous.completed == sample.completed else {
      progressAt = sample.seconds
      wakesAt = 0
      restart(at: sample.seconds)
      return .going
    }
    if let timer = sample.wakesAt { wakesAt = max(wakesAt, timer + Self.timerMargin) }
    guard let threads = sample.threads, !threads.isEmpty else {
      restart(at: sample.seconds)
      return .going
    }
    // The counters still show what the threads did during the gap, but not whether they slept.
    if sample.seconds - previous.seconds > Self.longestGap { asleepSamples = 0 }
    noteActivity(of: threads, in: sample)
    if threads.allSatisfy(\.isAsleep) {
      if asleepSamples == 0 { asleepSince = sample.seconds }
      asleepSamples += 1
    } else {
      asleepSamples = 0
    }
    let isStalled =
      sample.seconds - max(progressAt, wakesAt) >= window
      && sample.seconds - quietSince >= quietNeeded && isAsleep
    return isStalled ? .suspected : .going
  }

  private mutating func restart(at seconds: Double) {
    quietSince = seconds
    baseline = nil
    asleepSamples = 0
  }

  /// Ends the quiet stretch if threads have run more than a pool's own housekeeping explains.
  private mutating func noteActivity(of threads: [Thread], in sample: Sample) {
    guard var base = baseline else {
      setBaseline(threads, in: sample)
      return
    }
    let elapsed = sample.seconds - base.seconds
    // The allowance for housekeeping: a few wake-ups a second for each thread, a few new threads a
    // second for all pools together, and their processor time.
    let mostSwitches = 6 + Int(4 * elapsed)
    let mostNew = 4 + Int(4 * elapsed)
    let mostCPU = 0.06 + 0.03 * elapsed
    var isActive = sample.cpuSeconds - base.cpuSeconds > mostCPU
    for thread in threads {
      if let before = base.switches[thread.id] {
        if thread.switches - before > mostSwitches { isActive = true }
      } else {
        base.switches[thread.id] = thread.switches
        base.new += 1
      }
    }
    if base.new > mostNew { isActive = true }
    baseline = base
    if isActive { quietSince = sample.seconds }
    // The allowance is per stretch: over a long time it would add up to real work.
    if isActive || elapsed > 2 { setBaseline(threads, in: sample) }
  }

  private mutating func setBaseline(_ threads: [Thread], in sample: Sample) {
    let switches = Dictionary(
      threads.map { ($0.id, $0.switches) }, uniquingKeysWith: { first, _ in first })
    baseline = (sample.seconds, sample.cpuSeconds, switches, 0)
  }
}
