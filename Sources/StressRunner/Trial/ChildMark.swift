import Synchronization

/// A number that identifies a trial's child and every process that the child starts. It is
/// inherited, and survives a new session, another executable and an empty environment.
///
/// On Linux it is stored in a resource limit that is otherwise unlimited, as a value so high that
/// it limits nothing: a hundred thousand years. A limit can only be lowered, so a runner inside a
/// trial marks its children below its own mark, within the range that the outer runner recognises.
/// At a third level there are no marks: processes left behind by such a child end with the trial
/// that has a mark.
struct ChildMark: Hashable {
  /// Bit 62, set in every mark. The next 36 bits distinguish trials; the last 26 bits distinguish
  /// the trials inside a trial, and are all ones for the outer trial itself.
  private static let base: UInt64 = 1 << 62
  private static let outerTokens: UInt64 = 1 << 36
  private static let innerBits: UInt64 = 26
  private static let innerMask: UInt64 = 1 << innerBits - 1

  /// Starts at random, so that independent runners use different numbers, and is incremented, so
  /// that the trials of one runner do.
  private static let tokens = Atomic<UInt64>(.random(in: 0...UInt64.max))

  /// The value of the limit.
  let value: UInt64

  /// Creates a mark that no other trial has.
  ///
  /// `inherited` is this process's own limit, all ones if there is none. If another program has set
  /// that limit, there is no mark below it: it is a real limit, and a lower one might kill a
  /// process that should live.
  init?(below inherited: UInt64) {
    // Relaxed: the number only has to be unique.
    let token = Self.tokens.wrappingAdd(1, ordering: .relaxed).newValue
    if inherited == .max {
      value = Self.base | (token % Self.outerTokens) << Self.innerBits | Self.innerMask
    } else if inherited >> 62 == 1, inherited & Self.innerMask == Self.innerMask {
      value = inherited & ~Self.innerMask | token % Self.innerMask
    } else {
      return nil
    }
  }

  /// Creates the mark that the parent has chosen; `nil` for 0.
  init?(value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  /// True if a process with this limit belongs to the marked trial, or to a trial inside it.
  func covers(_ limit: UInt64) -> Bool {
    if value & Self.innerMask == Self.innerMask {
      return limit >> Self.innerBits == value >> Self.innerBits
    }
    return limit == value
  }
}
