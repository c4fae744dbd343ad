internal import Synchronization

/// A delay that nobody came into, as those who were kept waiting look at it when they go on.
struct DelayInQuestion {
  /// Counts the delays that kept somebody waiting; never 0.
  var number: UInt = 0
  var key = ResourceKey(hash: 0)
  var place = PlaceNumber(bits: 0)
  /// Microseconds at which it ended, and for how long after that a begin was caused by its end.
  var endedAt: UInt = 0
  var patience: UInt = 0
}

// TSVD's inferred happens-before: a thread that made no step while another was delayed, and goes on
// right after it, was kept out by a lock that the delayed one holds. Its two places are ordered,
// and further delays would find nothing.
//
// A thread without a processor makes no step either, and one in a pause between two calls neither.
// So it only counts who, at the delay's end, waits in the system to be woken by another and for
// ever if nobody does; who then, as its very next section, begins the paired place on the same
// resource; and within as much time as the delay took. And it takes several such delays: threads
// that wait for each other at a barrier look the same.
extension NearMissDelays {
  /// Delays that prove an order before a pair is dropped.
  static let proofsNeeded = 3
  /// More threads than this are not asked the system about after a delay.
  private static let mostAsked = 16

  /// A thread that began sections lately.
  struct Bystander {
    var context: ThreadContext.Pointer
    var activity: UInt
  }

  /// The threads whose last section is not longer ago than a near miss may be, but for the
  /// caller's; and those who were kept waiting by an earlier delay and have begun none since.
  func bystanders(besides context: ThreadContext.Pointer) -> [Bystander] {
    let now = Platform.coarseMilliseconds
    var found: [Bystander] = []
    ThreadContexts.forEach { other in
      let activity = other.activity.pointee.load(ordering: .relaxed)
      guard other != context, activity != 0,
        ThreadContext.age(of: activity, at: now) <= RecentAccess.window || other.isSuspected
      else { return }
      found.append(Bystander(context: other, activity: activity))
    }
    return found
  }

  /// Whether nobody who is known could walk in: all wait since an earlier delay. A lock's holder
  /// often takes it again before who waits for it is awake, and would be delayed again and again.
  func allWait(_ bystanders: [Bystander]) -> Bool {
    !bystanders.isEmpty && bystanders.allSatisfy { $0.context.isSuspected }
  }

  /// Marks those who were kept waiting through a delay. To be called before the delayed section
  /// goes on.
  func suspect(_ bystanders: [Bystander], of open: Registry.OpenSection, length: UInt) {
    let still = bystanders.lazy.filter {
      $0.context.activity.pointee.load(ordering: .relaxed) == $0.activity
    }
    let waiting = still.prefix(Self.mostAsked).filter {
      Platform.waitsToBeWoken($0.context.threadNumber.pointee.load(ordering: .relaxed)) == true
    }
    guard !waiting.isEmpty else { return }
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
    // Relaxed: who waits for this thread is ordered behind it by what it waits for; who does not is
    // asked nothing.
    for thread in waiting { thread.context.suspicion.pointee.store(number, ordering: .relaxed) }
  }

  /// A thread that was kept waiting begins a section: was it the delay that kept it?
  @inline(never)
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
