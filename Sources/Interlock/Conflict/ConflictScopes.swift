internal import SectionTable

/// Parts of a process, such as its tests, that receive the conflicts of their sections in place of
/// `SectionTracking.onConflict`.
///
/// A scope is a number that its owner chooses, from 1 to `mostNumbers`. A begin stores the scope of
/// the calling task or thread, so that a conflict has the scopes of both sides.
package enum ConflictScopes {
  /// The largest scope number.
  package static let mostNumbers: UInt = 0xFFFF_FFFF

  /// Returns the scope of the calling task or thread; 0 for none.
  package typealias Source = @Sendable () -> UInt
  /// Receives a conflict, on the thread of the second section. Returns false to leave the conflict
  /// to `SectionTracking.onConflict`.
  package typealias Receiver = @Sendable (ScopedConflict) -> Bool

  private final class Functions: Sendable {
    let source: Source
    let receiver: Receiver

    init(_ source: @escaping Source, _ receiver: @escaping Receiver) {
      self.source = source
      self.receiver = receiver
    }
  }

  // Not behind a lock: every begin calls the source.
  private static let functions = LastingObject<Functions>()

  /// Attributes every section to a scope from now on. Call it once in a process.
  package static func start(source: @escaping Source, receiver: @escaping Receiver) {
    functions.set(Functions(source, receiver))
    _ = Settings.shared.publishHotSettings()
  }

  /// True if sections are attributed to scopes.
  static var isOn: Bool { functions.isSet }

  /// The scope of the calling task or thread.
  @inline(never)
  static var ofCaller: UInt {
    var number: UInt = 0
    _ = functions.with { number = $0.source() & mostNumbers }
    return number
  }

  /// Passes a conflict on; returns true if a scope has taken it.
  static func receive(_ overlap: Overlap) -> Bool {
    guard HotSettings.current.isScoped else { return false }
    var isTaken = false
    _ = functions.with { isTaken = $0.receiver(ScopedConflict(overlap: overlap)) }
    return isTaken
  }
}

/// A conflict with the scopes of its sides.
package struct ScopedConflict: Sendable {
  /// The identity of the finding: the resource, and the two places in either order.
  package struct Identity: Hashable, Sendable {
    let overlap: Overlap.Identity
  }

  let overlap: Overlap

  /// The scope of the section that was open first; 0 for none.
  package var firstScope: UInt { overlap.first.scope }
  /// The scope of the section that began meanwhile; 0 for none.
  package var secondScope: UInt { overlap.second.scope }
  /// The identity of the finding.
  package var identity: Identity { Identity(overlap: overlap.identity) }
  /// The conflict in one line, without symbols: reading symbols takes milliseconds.
  package var headline: String { overlap.headline }

  /// The conflict with the current names of the two threads. Call it on the receiver's thread.
  package func withThreadNames() -> ScopedConflict {
    ScopedConflict(overlap: overlap.withThreadNames())
  }

  /// The conflict in full. Takes milliseconds: it symbolicates the stacks.
  package var conflict: Conflict { overlap.conflict(count: 1) }
}
