internal import CInterlock
internal import Synchronization

/// The settings that every begin looks at, in one word.
struct HotSettings {
  private static let readyFlag: UInt = 1 << 63
  private static let offFlag: UInt = 1 << 62
  private static let delayFlag: UInt = 1 << 61
  private static let exerciseFlag: UInt = 1 << 60
  private static let orderFlag: UInt = 1 << 59

  private var bits: UInt

  init(stackDepth: Int, delays: Bool, exercise: Bool, followsOrder: Bool, isOff: Bool) {
    bits =
      Self.readyFlag | UInt(stackDepth) | (delays ? Self.delayFlag : 0)
      | (exercise ? Self.exerciseFlag : 0) | (followsOrder ? Self.orderFlag : 0)
      | (isOff ? Self.offFlag : 0)
  }

  @inline(__always)
  static var current: HotSettings {
    // Relaxed: a setting takes effect at some begin soon after, and orders nothing.
    let bits = word.pointee.load(ordering: .relaxed)
    if bits != 0 { return HotSettings(bits: bits) }
    return Settings.shared.publishHotSettings()
  }

  func publish() {
    Self.word.pointee.store(bits, ordering: .relaxed)
  }

  @inline(__always)
  private init(bits: UInt) { self.bits = bits }

  @inline(__always)
  private static var word: UnsafeMutablePointer<Atomic<UInt>> {
    interlock_get_hot_settings().assumingMemoryBound(to: Atomic<UInt>.self)
  }

  @inline(__always)
  var stackDepth: Int { Int(bits & 0xFF) }
  @inline(__always)
  var delays: Bool { bits & Self.delayFlag != 0 }
  @inline(__always)
  var exercise: Bool { bits & Self.exerciseFlag != 0 }
  @inline(__always)
  var followsOrder: Bool { bits & Self.orderFlag != 0 }
  /// Whether more is done at a begin than to look for conflicts: one branch where it is not.
  @inline(__always)
  var follows: Bool { bits & (Self.delayFlag | Self.exerciseFlag | Self.orderFlag) != 0 }
  /// Whether delays are all of that.
  @inline(__always)
  var followsDelaysAlone: Bool {
    bits & (Self.delayFlag | Self.exerciseFlag | Self.orderFlag) == Self.delayFlag
  }
  @inline(__always)
  var isOff: Bool { bits & Self.offFlag != 0 }
}
