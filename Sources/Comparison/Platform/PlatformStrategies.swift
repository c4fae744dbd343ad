import LockStrategies

/// The strategies that only this system has.
#if canImport(Darwin)
let platformStrategies: [StrategyEntry] = [
  .lock("os-unfair-lock", "os_unfair_lock, Apple's own") { UnfairLock() }
]
#else
let platformStrategies: [StrategyEntry] = []
#endif
