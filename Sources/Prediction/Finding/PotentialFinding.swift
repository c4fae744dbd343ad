package import Interlock

/// Something that did not go wrong in this run, and can in another: with the places that show it.
///
/// It is never taken for what was observed: a conflict and a deadlock fail a gate by themselves, a
/// potential finding only where somebody asks for it.
package struct PotentialFinding: Sendable, Hashable, Codable {
  /// What can go wrong.
  package enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Several owners take several locks in orders that can end in a deadlock.
    case lockOrder = "lock-order"
    /// A task blocks a thread of the pool that all tasks share.
    case blockingWaitInTask = "blocking-wait-in-task"
    /// Somebody else's code is called while a lock is held.
    case callbackUnderLock = "callback-under-lock"
    /// A task gives its thread up while it holds a lock, which belongs to that thread.
    case lockAcrossAwait = "lock-across-await"
    /// A lock was held for longer than was asked for.
    case longHold = "long-hold"
    /// A lock was left locked: its thread or its block has ended, or the process has.
    case abandonedLock = "abandoned-lock"
    /// A thread asked again for a lock that it held, was refused, and unlocked it twice.
    case relock
    /// Two accesses to one resource, of which no order was seen.
    case race
  }

  /// Something that an owner held.
  package struct Held: Sendable, Hashable, Codable {
    /// What it is: `NSLock or POSIX mutex 0x7f…`, `serial queue 'model'`.
    package var object: String
    /// Where it was taken, innermost first: several frames where functions were inlined; empty
    /// where it is not known.
    package var place: [StackFrame]

    /// Describes something that was held.
    package init(object: String, place: [StackFrame]) {
      self.object = object
      self.place = place
    }
  }

  /// One of those who take part.
  package struct Side: Sendable, Hashable, Codable {
    /// Who it was: `thread 'worker'`, `a task on thread '…'`.
    package var who: String
    /// What it did: `takes mutex 0x7f…`.
    package var act: String
    /// Where it did so, innermost first: several frames where functions were inlined.
    package var place: [StackFrame]
    /// Its stack then, innermost first; empty where none was taken.
    package var stack: [StackFrame]
    /// What it held then, in the order in which it was taken.
    package var held: [Held]

    /// Describes a side.
    package init(
      who: String, act: String, place: [StackFrame], stack: [StackFrame] = [], held: [Held] = []
    ) {
      self.who = who
      self.act = act
      self.place = place
      self.stack = stack
      self.held = held
    }
  }

  /// What can go wrong.
  package var kind: Kind
  /// The whole in one line, with names and places.
  package var headline: String
  /// Those who take part, in the order in which they are told of.
  package var sides: [Side]
  /// How often the like of it was seen: with the same places, on these or on other objects.
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
  /// The addresses of all its frames.
  package var addresses: Set<UInt> {
    var addresses: Set<UInt> = []
    _ = replacingFrames { frames in
      addresses.formUnion(frames.map(\.address))
      return frames
    }
    return addresses
  }

  /// The same with other frames.
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
