package import CInterlockExplorer

/// A hash of all that the rest of an execution depends on: the atomics in memory, and the values
/// that each thread has read. The next step of a thread depends on nothing else.
package enum ProgramState {
  // Unsafe, but explored threads run one at a time.
  nonisolated(unsafe) private static var memory: UInt64 = 0
  nonisolated(unsafe) private static var threads: [UInt64] = []
  /// The number of the thread that takes the step.
  nonisolated(unsafe) static var running = 0

  package static func begin() {
    memory = 0
    threads = [0]
    running = 0
  }

  /// Adds a write to the hash, which does not depend on the order of writes.
  static func wrote(_ address: UnsafeRawPointer, _ old: UInt64, _ new: UInt64) {
    let place = UInt64(UInt(bitPattern: address))
    memory ^= mix(mix(place) ^ old) ^ mix(mix(place) ^ new)
  }

  /// Adds a value that the running thread has read, or a step that it has taken.
  static func learned(_ value: UInt64) {
    knowRunning()
    threads[running] = mix(threads[running] &+ value)
  }

  /// Forgets all that the running thread has read, except for these values.
  package static func forget(except values: [UInt64]) {
    knowRunning()
    threads[running] = 1
    for value in values { learned(value) }
  }

  private static func knowRunning() {
    while threads.count <= running { threads.append(0) }
  }

  /// The hash together with all other values that the program depends on.
  package static func hash(with values: [UInt64]) -> UInt64 {
    var hash = memory
    for thread in threads { hash = mix(hash &+ thread) }
    for value in values { hash = mix(hash &+ value) }
    return hash
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), after its increment.
  static func mix(_ value: UInt64) -> UInt64 {
    var bits = value &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

/// A search for states: an execution is cut when it reaches a known state, because all that can
/// follow has been explored or will be.
///
/// States are kept as hashes of 64 bits (hash compaction: Wolper and Leroy, CAV 1993). With a
/// million states, the probability that two have one hash is below one in ten million.
package enum StateSearch {
  // Unsafe, but one thread explores.
  nonisolated(unsafe) private static var inner: UnsafeMutablePointer<interlock_strategy>?
  nonisolated(unsafe) private static var state: () -> UInt64 = { 0 }
  nonisolated(unsafe) private static var cuts = true
  /// All states that were reached.
  nonisolated(unsafe) package private(set) static var states: Set<UInt64> = []
  /// The choices of the previous execution, and of this one as long as it repeats them.
  nonisolated(unsafe) private static var choices: [Int32] = []
  nonisolated(unsafe) private static var repeated = 0

  /// Depth-first search.
  package static func search(_ state: @escaping () -> UInt64) -> UnsafeMutablePointer<
    interlock_strategy
  >? {
    make(interlock_dfs_create(.max), cuts: true, state)
  }

  /// Random, whole executions, which must reach no other states than the search.
  package static func sample(_ state: @escaping () -> UInt64) -> UnsafeMutablePointer<
    interlock_strategy
  >? {
    make(interlock_random_walk_create(1), cuts: false, state)
  }

  private static func make(
    _ search: UnsafeMutablePointer<interlock_strategy>?, cuts: Bool,
    _ state: @escaping () -> UInt64
  ) -> UnsafeMutablePointer<interlock_strategy>? {
    guard let search else { return nil }
    (inner, Self.cuts, Self.state) = (search, cuts, state)
    let strategy = UnsafeMutablePointer<interlock_strategy>.allocate(capacity: 1)
    strategy.initialize(to: search.pointee)
    strategy.pointee.begin = { _ in StateSearch.begin() }
    strategy.pointee.choose = { _, state in StateSearch.choose(state) }
    strategy.pointee.pick = { _, count in
      StateSearch.inner.map { $0.pointee.pick($0, count) } ?? 0
    }
    strategy.pointee.performed = { _, thread, operations, count in
      ProgramState.learned(1)
      if let inner = StateSearch.inner {
        inner.pointee.performed(inner, thread, operations, count)
      }
    }
    strategy.pointee.end = { _, end, last in
      if let inner = StateSearch.inner { inner.pointee.end(inner, end, last) }
    }
    strategy.pointee.is_complete = { _ in
      StateSearch.inner.map { $0.pointee.is_complete($0) } ?? false
    }
    // Nothing to destroy, because the process ends.
    strategy.pointee.destroy = { _ in }
    return strategy
  }

  private static func begin() -> Bool {
    repeated = 0
    return inner.map { $0.pointee.begin($0) } ?? false
  }

  private static func choose(_ execution: UnsafePointer<interlock_exploration_state>?) -> Int32 {
    guard let inner, let execution else { return Int32(INTERLOCK_CHOICE_CUT) }
    let only = independent(execution.pointee)
    let choice =
      cuts
      ? only ?? search(inner, execution)
      : sample(inner, execution, hasState: only == nil)
    if choice >= 0 { ProgramState.running = Int(choice) }
    return choice
  }

  private static func search(
    _ inner: UnsafeMutablePointer<interlock_strategy>,
    _ execution: UnsafePointer<interlock_exploration_state>
  ) -> Int32 {
    let repeats = repeated < choices.count
    // The states on the way to the new choice are known.
    if !repeats, !states.insert(state()).inserted { return Int32(INTERLOCK_CHOICE_CUT) }
    let choice = inner.pointee.choose(inner, execution)
    if !repeats || choices[repeated] != choice {
      choices.removeSubrange(repeated...)
      choices.append(choice)
    }
    repeated += 1
    return choice
  }

  private static func sample(
    _ inner: UnsafeMutablePointer<interlock_strategy>,
    _ execution: UnsafePointer<interlock_exploration_state>, hasState: Bool
  ) -> Int32 {
    if hasState { states.insert(state()) }
    return inner.pointee.choose(inner, execution)
  }

  /// A thread whose next operation accesses no memory: it begins, ends, makes a thread or joins
  /// one. That is independent of what other threads can do, so that no other order matters.
  private static func independent(_ execution: interlock_exploration_state) -> Int32? {
    for index in 0..<Int(execution.enabled_count) {
      let kind = execution.pending[Int(execution.enabled[index])].kind
      switch interlock_operation_kind(UInt32(kind)) {
      case INTERLOCK_OPERATION_READ, INTERLOCK_OPERATION_WRITE, INTERLOCK_OPERATION_READ_WRITE:
        continue
      default:
        return Int32(execution.enabled[index])
      }
    }
    return nil
  }
}
