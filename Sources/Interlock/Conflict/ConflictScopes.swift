internal import SectionTable

/// Parts of a process, such as its tests, that get the conflicts of their sections in place of
/// `SectionTracking.onConflict`.
///
/// A scope is a number that its owner chooses, from 1 to `mostNumbers`. A begin stores the number
/// of the scope that the calling task or thread belongs to, so that a conflict knows those of both
/// sides.
package enum ConflictScopes {
  /// The largest number.
  package static let mostNumbers: UInt = 0xFFFF_FFFF

  /// Decides which scope the calling task or thread belongs to; 0 for none.
  package typealias Source = @Sendable () -> UInt
  /// Receives a conflict, on the thread of the second section; returns false to leave it to
  /// `SectionTracking.onConflict`.
  package typealias Receiver = @Sendable (ScopedConflict) -> Bool

  private final class Functions: Sendable {
    let source: Source
    let receiver: Receiver

    init(_ source: @escaping Source, _ receiver: @escaping Receiver) {
      self.source = source
      self.receiver = receiver
    }
  }

  // Without a lock: every begin calls the source.
  private static let functions = LastingObject<Functions>()

  /// Attributes every section from now on. Call it once in a process.
  package static func start(source: @escaping Source, receiver: @escaping Receiver) {
    functions.set(Functions(source, receiver))
    _ = Settings.shared.publishHotSettings()
  }

  /// Whether sections are attributed.
  static var isOn: Bool { functions.isSet }

  /// The scope of the calling task or thread.
  @inline(never)
  static var ofCaller: UInt {
    var number: UInt = 0
    _ = functions.with { number = $0.source() & mostNumbers }
    return number
  }

  /// Passes a conflict on; returns whether a scope has taken it.
  static func receive(_ overlap: Overlap) -> Bool {
    guard HotSettings.current.isScoped else { return false }
    var isTaken = false
    _ = functions.with { isTaken = $0.receiver(ScopedConflict(overlap: overlap)) }
    return isTaken
  }
}

/// A conflict with the scopes of its sides.
package struct ScopedConflict: Sendable {
  /// Identifies the finding: the resource, and the two places in either order.
  package struct Identity: Hashable, Sendable {
    let overlap: Overlap.Identity
  }

  let overlap: Overlap

  /// The scope of the section that was open; 0 for none.
  package var firstScope: UInt { overlap.first.scope }
  /// The scope of the section that began meanwhile; 0 for none.
  package var secondScope: UInt { overlap.second.scope }
  /// Identifies the finding.
  package var identity: Identity { Identity(overlap: overlap.identity) }
  /// The conflict in one line, without symbols, which take milliseconds to read.
  package var headline: String { overlap.headline }

  /// The conflict with the names that the two threads have now. Call it on the receiver's thread.
  package func withThreadNames() -> ScopedConflict {
    ScopedConflict(overlap: overlap.withThreadNames())
  }

  /// The conflict in full. Takes milliseconds: it symbolicates the stacks.
  package var conflict: Conflict { overlap.conflict(count: 1) }
}
