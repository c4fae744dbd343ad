internal import CInterlockExplorer

/// Runs each thread of an explored body; it must call its argument exactly once.
package typealias Surroundings = @Sendable (() -> Void) -> Void

extension Exploration {
  /// True if the calling thread is explored.
  package static var isExplored: Bool { interlock_is_explored() }

  /// Fails the running execution at a line, and ends it: its threads do not continue.
  ///
  /// Returns if the calling thread is not explored.
  package static func end(_ text: String, at place: String) {
    interlock_exploration_end(text, place)
  }

  /// Ends an exploration whose options allow doubts, because the body depends on something that no
  /// order controls.
  package static func leave(_ reason: String) { interlock_exploration_leave(reason) }

  /// Fails the running execution, and lets it continue.
  package static func fail(_ text: String) {
    interlock_exploration_fail(text)
  }
}
