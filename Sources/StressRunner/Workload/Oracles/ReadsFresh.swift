/// `reads-fresh`: no read returned a value that was overwritten, or removed, before the read began.
///
/// Two overlapping writes may take effect in either order. A value is therefore stale only if
/// another write began after every write of the value had ended, and ended before the read began.
///
/// - Parameter calls: The completed calls of a trial. Values stored by the preparation count as
///   written before all of them.
/// - Returns: The first stale read, as evidence; `nil` if there is none.
func evidenceOfStaleRead(in calls: [History.Call]) -> String? {
  let removals = calls.filter { $0.kind == .removeAll }
  let byKey = Dictionary(grouping: calls.filter { $0.kind != .removeAll }, by: \.key)
  for (key, calls) in byKey.sorted(by: { $0.key < $1.key }) {
    let writes = calls.filter { $0.kind.stores || $0.kind.removes } + removals
    let reads = Dictionary(grouping: calls.filter { $0.kind.reads && $0.value != nil }) {
      $0.value ?? 0
    }
    for (value, reads) in reads.sorted(by: { $0.key < $1.key }) {
      let spans = WriteSpans(writes, of: value)
      for read in reads {
        guard let over = spans.whatMadeStale(read) else { continue }
        let what = over.kind.stores ? "value \(over.value ?? 0) was stored" : "the key was removed"
        return "a \(read.kind.rawValue) of key-\(key) returned value \(value), which was stale:"
          + " \(what) after it and before the read began"
      }
    }
  }
  return nil
}

/// The writes of one key, split into those of one value and all others. Each list is searchable in
/// logarithmic time.
private struct WriteSpans {
  /// The writes of the value, sorted by beginning; each with the last end up to it.
  private var own: [(began: Int, lastEnd: Int)] = []
  /// The other writes, sorted by end; each with the last-beginning write up to it.
  private var others: [(ended: Int, lastToBegin: History.Call)] = []

  init(_ writes: [History.Call], of value: Int) {
    func isOwn(_ call: History.Call) -> Bool { call.kind.stores && call.value == value }
    var lastEnd = 0
    for write in writes.filter(isOwn).sorted(by: { $0.began < $1.began }) {
      lastEnd = max(lastEnd, write.ended)
      own.append((write.began, lastEnd))
    }
    for write in writes.filter({ !isOwn($0) }).sorted(by: { $0.ended < $1.ended }) {
      let last = others.last?.lastToBegin
      others.append((write.ended, last.map { $0.began > write.began ? $0 : write } ?? write))
    }
  }

  /// A write of another value that lies completely between the value's last write and the read.
  func whatMadeStale(_ read: History.Call) -> History.Call? {
    let written = Self.last(of: own) { $0.began < read.ended }?.lastEnd ?? 0
    guard let other = Self.last(of: others, where: { $0.ended < read.began })?.lastToBegin,
      other.began > written
    else { return nil }
    return other
  }

  /// The last element that satisfies a condition. All elements before it must satisfy the condition
  /// too.
  private static func last<Element>(
    of elements: [Element], where holds: (Element) -> Bool
  ) -> Element? {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? elements[low - 1] : nil
  }
}

/// `nothing-lost` for a script: a stored value is found, unless a call removed it.
///
/// - Returns: The first read that found nothing, or the first key that is missing at the end, as
///   evidence.
func evidenceOfLoss(in calls: [History.Call], state: FinalState?) -> String? {
  let end = (calls.map(\.ended).max() ?? 0) + 1
  func isLost(_ key: Int, at moment: Int) -> Bool {
    let removes = calls.filter {
      $0.began < moment && ($0.kind == .removeAll || $0.kind.removes && $0.key == key)
    }
    return calls.contains { set in
      set.kind.stores && set.key == key && set.ended < moment
        && removes.allSatisfy { $0.ended < set.began }
    }
  }
  for read in calls where read.kind.reads && read.value == nil {
    if isLost(read.key, at: read.began), !isRemoved(read, in: calls) {
      return "a \(read.kind.rawValue) of key-\(read.key) found nothing: it was stored before, and"
        + " not removed since"
    }
  }
  guard let state else { return nil }
  let stored = Set(calls.filter(\.kind.stores).map(\.key)).sorted()
  guard let key = stored.first(where: { isLost($0, at: end) && state.entries["key-\($0)"] == nil })
  else { return nil }
  return "at the end, key-\(key) was not there: stored, and not removed since"
}

/// True if a call may have removed a read's key during the read.
private func isRemoved(_ read: History.Call, in calls: [History.Call]) -> Bool {
  calls.contains {
    ($0.kind == .removeAll || $0.kind.removes && $0.key == read.key)
      && $0.began < read.ended && $0.ended > read.began
  }
}
