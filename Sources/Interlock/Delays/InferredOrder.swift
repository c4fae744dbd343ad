internal import SectionTable
internal import Synchronization

/// A fruitless delay. Threads that it may have blocked check it when they continue.
struct DelayInQuestion {
  /// The number of delays that blocked a thread; never 0.
  var number: UInt = 0
  var key = ResourceKey(hash: 0)
  var place = PlaceNumber(bits: 0)
  /// The end of the delay in microseconds, and the time after it within which a begin counts as
  /// caused by the end.
  var endedAt: UInt = 0
  var patience: UInt = 0
}

// TSVD's inferred happens-before: if a thread made no step while another was delayed, and continues
// right after the delay, a lock held by the delayed thread has blocked it. The two places are
// ordered, and further delays there would find nothing.
//
// A thread without a processor makes no step either, and neither does a thread that pauses between
// two calls. A thread therefore counts only if it is blocked in the system without a time limit at
// the end of the delay, if its very next section is at the paired place on the same resource, and
// if that section begins within the delay's own length. A pair is dropped only after several such
// delays, because threads that wait for each other at a barrier look the same.
extension NearMissStore {
  /// The number of delays with such an order after which a pair is dropped.
  static let proofsNeeded = 3
  /// The most threads whose state is read from the system after a delay.
  private static let mostAsked = 16

  /// A thread that began sections recently.
  struct Bystander {
    var context: ThreadContext.Pointer
    var activity: UInt
  }

  /// The other threads whose last section is within the window of a near miss, and, for the same
  /// time after a delay, the threads that a delay blocked and that have begun no section since. A
  /// thread that waits for something else, such as the end of a thread, may never begin one again.
  func bystanders(besides context: ThreadContext.Pointer) -> [Bystander] {
    let now = Platform.coarseMilliseconds
    let hasBlocked = hasBlocked(at: now)
    var found: [Bystander] = []
    ThreadContexts.forEach { other in
      let activity = other.activity.pointee.load(ordering: .relaxed)
      guard other != context, activity != 0,
        ThreadContext.age(of: activity, at: now) <= RecentAccess.window
          || hasBlocked && other.isSuspected
      else { return }
      found.append(Bystander(context: other, activity: activity))
    }
    return found
  }

  /// True if an earlier delay blocked another thread that has begun no section since.
  func hasSuspect(besides context: ThreadContext.Pointer) -> Bool {
    var found = false
    ThreadContexts.forEach { if $0 != context, $0.isSuspected { found = true } }
    return found
  }

  /// True if every candidate thread is still blocked by an earlier delay. The holder of a lock
  /// often acquires it again before the waiting thread is awake, and would be delayed repeatedly.
  func allWait(_ bystanders: [Bystander]) -> Bool {
    !bystanders.isEmpty && bystanders.allSatisfy { $0.context.isSuspected }
  }

  /// Marks the threads that a delay has blocked. Call it before the delayed section continues.
  func suspect(_ bystanders: [Bystander], of open: Registry.OpenSection, length: UInt) {
    let still = bystanders.lazy.filter {
      $0.context.activity.pointee.load(ordering: .relaxed) == $0.activity
    }
    let waiting = still.prefix(Self.mostAsked).filter {
      Platform.waitsToBeWoken($0.context.threadNumber.pointee.load(ordering: .relaxed)) == true
    }
    guard !waiting.isEmpty else { return }
    noteBlocked()
    let mark = DelayTables.Mark(
      file: open.record[.file], lineAndFlags: open.record[.lineAndFlags])
    guard let place = tables.number(of: mark) else { return }
    let now = Platform.microseconds
    let number = pairs.withLock { pairs in
      pairs.question.number += 1
      pairs.question = DelayInQuestion(
        number: pairs.question.number, key: open.key, place: place, endedAt: now, patience: length)
      return pairs.question.number
    }
    // Relaxed: a blocked thread reads its mark after the object it waits for has ordered it after
    // this store. Other threads do not read their marks.
    for thread in waiting { thread.context.suspicion.pointee.store(number, ordering: .relaxed) }
  }

  func settleSuspicion(
    of context: ThreadContext.Pointer, on key: ResourceKey, at place: PlaceNumber
  ) {
    let number = context.suspicion.pointee.exchange(0, ordering: .relaxed)
    guard place.isFollowed else { return }
    pairs.withLock { pairs in
      let question = pairs.question
      guard question.number == number, question.key == key,
        Platform.microseconds &- question.endedAt <= question.patience
      else { return }
      pairs.prove(PlacePair(question.place, place), by: number, in: tables)
    }
  }
}
