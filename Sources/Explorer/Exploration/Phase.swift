internal import CInterlockExplorer

/// A strategy with its share of the time budget.
enum Phase {
  case everyOrder(seconds: Double)
  case sampling(seconds: Double)
  /// A few random orders after all that matter. They can show plain memory accesses, on which no
  /// order of the controlled calls depends.
  case unseenAccesses(seconds: Double)
  case depthFirst(Int?, seconds: Double)
  /// Every order with at most this many preemptions.
  case bounded(Int, seconds: Double)
  case random(seconds: Double)
  case pct(Int, seconds: Double)
  case pos(seconds: Double)
  case surw(seconds: Double)
  case roundRobin(seconds: Double)
  case inTurn(seconds: Double)
  case replay([UInt32])
  case kept(Corpus.Order)

  /// True if the phase runs a single execution whose result is inspected.
  var isReplay: Bool {
    switch self {
    case .replay, .kept: true
    default: false
    }
  }

  /// True if the phase draws executions at random, so that its coverage can be estimated.
  var isSampling: Bool {
    switch self {
    case .sampling, .random, .pct, .pos, .surw: true
    case .everyOrder, .unseenAccesses, .depthFirst, .bounded, .roundRobin, .inTurn, .replay,
      .kept:
      false
    }
  }

  /// The phase's limit of executions; `nil` for none.
  var executions: Int? {
    if case .unseenAccesses = self { 100 } else { nil }
  }

  var seconds: Double {
    switch self {
    case .everyOrder(let seconds), .sampling(let seconds), .unseenAccesses(let seconds),
      .depthFirst(_, let seconds), .bounded(_, let seconds), .random(let seconds),
      .pct(_, let seconds), .pos(let seconds), .surw(let seconds), .roundRobin(let seconds),
      .inTurn(let seconds):
      seconds
    case .replay, .kept: 0
    }
  }

  /// True if several processes can explore the phase at once, each a part of it.
  var hasParts: Bool {
    if case .everyOrder = self { true } else { isSampling }
  }

  /// Creates the strategy for the phase. `job` is the number of the process from 0, and `nil` for a
  /// single process.
  func makeStrategy(
    seed: UInt64, part: ExplorationOptions.Part?, job: Int? = nil
  ) -> UnsafeMutablePointer<interlock_strategy>? {
    let options = interlock_dpor_options(
      objects_keep_their_numbers: false, shard: UInt32(part.map { $0.number - 1 } ?? 0),
      shards: UInt32(part?.count ?? 1))
    // Spread the seeds: the samplers within one part use consecutive ones.
    let seed =
      seed &+ UInt64(options.shard) &* 0x9e37_79b9_7f4a_7c15
      &+ UInt64(job.map { $0 + 1 } ?? 0) &* 0xbf58_476d_1ce4_e5b9
    return switch self {
    case .everyOrder: interlock_dpor_create(options)
    case .sampling: interlock_portfolio_create(seed)
    case .depthFirst(let bound, _): interlock_dfs_create(bound.map(UInt32.init) ?? .max)
    case .bounded(let bound, _): interlock_dfs_create(UInt32(bound))
    case .random, .unseenAccesses: interlock_random_walk_create(seed)
    case .pct(let depth, _): interlock_pct_create(seed, UInt32(depth))
    case .pos: interlock_pos_create(seed)
    case .surw: interlock_surw_create(seed)
    case .roundRobin: interlock_round_robin_create()
    case .inTurn: interlock_in_turn_create()
    case .replay(let choices): interlock_replay_create(choices, choices.count)
    case .kept(let order): OrderGuide.makeStrategy(order)
    }
  }
}
