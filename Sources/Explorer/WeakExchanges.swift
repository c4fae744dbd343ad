internal import CInterlockExplorer
internal import Interlock

/// Compare-exchanges that may fail although they find the value that they expect. Their machine
/// code is that of others: the name in the source tells them apart.
enum WeakExchanges {
  private static let mostAtOnce = 1024

  /// Says of each exchange that executions have come to whether it may fail by itself.
  ///
  /// - Returns: Whether there was one that was not known: what was executed does not count then.
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

  /// `weakCompareExchange` of the standard library and of swift-atomics, the latter's built-in
  /// functions, and `atomic_compare_exchange_weak_explicit` of C.
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
