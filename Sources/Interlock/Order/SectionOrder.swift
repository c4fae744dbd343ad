internal import Synchronization

/// Looks whether sections are in an order that does not depend on luck: a section that begins after another has ended,
/// and nothing made it come after, could have met it.
///
/// Only sections of threads: what a task does goes from thread to thread unseen.
enum SectionOrder {
  /// Called at the end of a begin, with what has been published.
  @inline(never)
  static func afterBegin(
    _ open: Registry.OpenSection, of owner: UInt, on resource: borrowing Resource
  ) {
    let isObjects = resource.instanceType != 0
    let instance = resource.instance
    let key = UInt(open.key.hash)
    guard owner & 1 == 0, let source = OrderSource.current, let moment = source.moment,
      let history = isObjects ? Histories.make(key) : Histories.find(key)
    else { return }
    let record = open.record
    var found: [(Evidence, [UnorderedAccesses.Held])] = []
    history.withLock {
      guard history.key == key else { return }
      if isObjects { history.keepOnly(of: instance) }
      if Self.isUnordered(history.lastWrite, moment, source) {
        found.append(
          (Evidence(of: history.lastWrite.record), history.lastWrite.held))
      }
      guard record.writes else { return }
      for index in 0..<History.readLimit {
        let read = history.lastRead(index)
        if Self.isUnordered(read, moment, source) {
          found.append((Evidence(of: read.record), read.held))
        }
      }
    }
    for (past, held) in found {
      UnorderedLog.shared.add(past, held, Evidence(of: record), source, on: resource)
    }
  }

  @inline(__always)
  private static func isUnordered(
    _ past: PastAccess, _ moment: OrderSource.Moment, _ source: OrderSource
  ) -> Bool {
    past.isThere && past.moment.slot != moment.slot && !source.isBefore(past.moment)
  }

  /// Called when a section has left the table, before its record is used anew.
  @inline(never)
  static func afterEnd(_ open: Registry.OpenSection) {
    let record = open.record
    // It ends where another thread ended it: whose moment that is, nobody can tell.
    guard record[.owner] & 1 == 0, record[.owner] == ThreadHome.current.currentOwner,
      let source = OrderSource.current, let moment = source.moment
    else { return }
    let key = UInt(open.key.hash)
    let history = Histories.find(key) ?? Histories.make(key)
    history.withLock {
      if history.key == key { history.note(record, at: moment, source) }
    }
  }
}
