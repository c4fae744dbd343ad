package import Interlock

/// A deadlock or race that did not occur in this run but can occur in another one, with its
/// evidence.
///
/// It never counts as an observation. A conflict or a deadlock fails a gate by itself; a potential
/// finding fails it only if an option asks for that.
package struct PotentialFinding: Sendable, Hashable, Codable {
  /// The kinds of faults.
  package enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Several owners acquire several locks in orders that can deadlock.
    case lockOrder = "lock-order"
    /// A task blocks a thread of the pool that all tasks share.
    case blockingWaitInTask = "blocking-wait-in-task"
    /// Code of another module is called while a lock is held.
    case callbackUnderLock = "callback-under-lock"
    /// A task leaves its thread, at an `await` or at its end, while it holds a lock.
    case lockAcrossAwait = "lock-across-await"
    /// A lock was held for longer than a limit.
    case longHold = "long-hold"
    /// A lock was left locked after its thread or block, or `main`, had ended.
    case abandonedLock = "abandoned-lock"
    /// A thread tried to acquire a lock that it held, was refused, and then unlocked it twice.
    case relock
    /// Two accesses to one resource that no observed event orders.
    case race
  }

  /// A lock or queue that an owner held.
  package struct Held: Sendable, Hashable, Codable {
    /// The object: `NSLock or POSIX mutex 0x7f…`, `serial queue 'model'`.
    package var object: String
    /// Where the object was acquired, innermost frame first: several frames if functions were
    /// inlined; empty if unknown.
    package var place: [StackFrame]

    /// Describes a held object.
    package init(object: String, place: [StackFrame]) {
      self.object = object
      self.place = place
    }
  }

  /// A participant of the finding.
  package struct Side: Sendable, Hashable, Codable {
    /// The participant: `thread 'worker'`, `a task on thread '…'`.
    package var party: String
    /// The participant's action: `takes mutex 0x7f…`.
    package var act: String
    /// Where the action happened, innermost frame first: several frames if functions were inlined.
    package var place: [StackFrame]
    /// The participant's stack at that time, innermost frame first; empty if none was captured.
    package var stack: [StackFrame]
    /// The objects held at that time, in the order of acquisition.
    package var held: [Held]

    /// Describes a side.
    package init(
      party: String, act: String, place: [StackFrame], stack: [StackFrame] = [], held: [Held] = []
    ) {
      self.party = party
      self.act = act
      self.place = place
      self.stack = stack
      self.held = held
    }
  }

  /// The kind of fault.
  package var kind: Kind
  /// The finding in one line, with names and places.
  package var headline: String
  /// The participants, in the order of the report.
  package var sides: [Side]
  /// The identity of a race's resource across runs; `nil` for other kinds.
  package var resource: String?
  /// The number of findings with the same places, on these or on other objects.
  package var count: Int

  /// Describes a finding.
  package init(kind: Kind, headline: String, sides: [Side], count: Int = 1) {
    self.kind = kind
    self.headline = headline
    self.sides = sides
    self.count = count
  }
}

extension PotentialFinding {
  /// The addresses of all frames of the finding.
  package var addresses: Set<UInt> {
    var addresses: Set<UInt> = []
    _ = replacingFrames { frames in
      addresses.formUnion(frames.map(\.address))
      return frames
    }
    return addresses
  }

  /// The finding with other frames.
  package func replacingFrames(_ change: ([StackFrame]) -> [StackFrame]) -> PotentialFinding {
    var copy = self
    for index in copy.sides.indices {
      copy.sides[index].place = change(copy.sides[index].place)
      copy.sides[index].stack = change(copy.sides[index].stack)
      for held in copy.sides[index].held.indices {
        copy.sides[index].held[held].place = change(copy.sides[index].held[held].place)
      }
    }
    return copy
  }
}
