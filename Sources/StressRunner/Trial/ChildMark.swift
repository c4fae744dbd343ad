import Synchronization

/// What a trial's child, and whatever it starts, is known by: a number that a process inherits and
/// that a new session, another executable and an empty environment leave as it is.
///
/// Where there is one, it is a limit that is unlimited otherwise, of a value that limits nothing: a
/// hundred thousand years. A limit can only be lowered, so a runner that is itself inside a trial
/// marks its children below its own mark, and within the range that the outer runner recognises.
/// Inside such a trial in turn no child gets a mark of its own: what it leaves ends with the trial
/// that has one.
struct ChildMark: Hashable {
  /// Bit 62, which every mark has; 36 bits that tell trials apart; 26 for those inside one of them,
  /// all ones for the outer trial itself.
  private static let base: UInt64 = 1 << 62
  private static let outerTokens: UInt64 = 1 << 36
  private static let innerBits: UInt64 = 26
  private static let innerMask: UInt64 = 1 << innerBits - 1

  /// Begins anywhere, so that runners that know nothing of one another take different numbers, and
  /// goes up by one, so that the trials of one runner do.
  private static let tokens = Atomic<UInt64>(.random(in: 0...UInt64.max))

  /// The limit.
  let value: UInt64

  /// A mark that no other trial has.
  ///
  /// `inherited` is this process's own limit, all ones where it has none. There is no mark below a
  /// limit that no runner has set: it limits something, and a lower one might end a process that
  /// should live.
  init?(below inherited: UInt64) {
    // Relaxed: nothing else hangs on the number.
    let token = Self.tokens.wrappingAdd(1, ordering: .relaxed).newValue
    if inherited == .max {
      value = Self.base | (token % Self.outerTokens) << Self.innerBits | Self.innerMask
    } else if inherited >> 62 == 1, inherited & Self.innerMask == Self.innerMask {
      value = inherited & ~Self.innerMask | token % Self.innerMask
    } else {
      return nil
    }
  }

  /// A mark that a parent has chosen; `nil` for 0.
  init?(value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  /// Whether a process with this limit has the mark, or that of a trial inside this one.
  func covers(_ limit: UInt64) -> Bool {
    if value & Self.innerMask == Self.innerMask {
      return limit >> Self.innerBits == value >> Self.innerBits
    }
    return limit == value
  }
}
