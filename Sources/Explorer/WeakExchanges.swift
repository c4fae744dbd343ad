internal import CInterlockExplorer
internal import Interlock

/// Compare-exchanges that may fail spuriously. Their machine code equals that of strong ones: only
/// the name in the source tells them apart.
enum WeakExchanges {
  private static let mostAtOnce = 1024

  /// Tells the engine of each newly executed compare-exchange whether it may fail spuriously.
  ///
  /// - Returns: True if one was unknown: then the executions so far do not count.
  static func learn() -> Bool {
    var places = [UInt](repeating: 0, count: mostAtOnce)
    let count = interlock_unknown_exchanges(&places, places.count)
    if count == 0 { return false }
    let names = SourceName.names(ofCalls: Array(places.prefix(count)))
    for place in places.prefix(count) {
      interlock_exchange_is(place, kind(of: names[place] ?? .unknown))
    }
    return true
  }

  /// Weak are `weakCompareExchange` of the standard library and of swift-atomics, the latter's
  /// built-in functions, and C's `atomic_compare_exchange_weak_explicit`.
  static func kind(of name: SourceName) -> interlock_exchange_kind {
    switch name {
    case .unknown: return INTERLOCK_EXCHANGE_UNREAD
    case .name(let name):
      return name.lowercased().contains("weak")
        ? INTERLOCK_EXCHANGE_WEAK : INTERLOCK_EXCHANGE_STRONG
    case .macro(let text):
      let isWeak = text.contains("weakCompareExchange")
      if isWeak, text.contains(".compareExchange") { return INTERLOCK_EXCHANGE_UNREAD }
      return isWeak ? INTERLOCK_EXCHANGE_WEAK : INTERLOCK_EXCHANGE_STRONG
    }
  }
}
