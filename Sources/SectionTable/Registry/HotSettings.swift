internal import CMarks
internal import Synchronization

/// The settings that every begin reads, in one word.
package struct HotSettings {
  package let bits: UInt

  package init(
    stackDepth: Int, delays: Bool, coverage: Bool, followsOrder: Bool, isOff: Bool,
    isExplored: Bool, isScoped: Bool = false
  ) {
    bits =
      Self.readyFlag | UInt(stackDepth) | (delays ? Self.delayFlag : 0)
      | (coverage ? Self.coverageFlag : 0) | (followsOrder ? Self.orderFlag : 0)
      | (isOff ? Self.offFlag : 0) | (isExplored ? Self.exploredFlag : 0)
      | (isScoped ? Self.scopeFlag : 0)
  }

  package func publish() {
    Self.word.pointee.store(bits, ordering: .relaxed)
  }

  @inline(__always)
  package var delays: Bool { bits & Self.delayFlag != 0 }
  @inline(__always)
  package var coverage: Bool { bits & Self.coverageFlag != 0 }
}
