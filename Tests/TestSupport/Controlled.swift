internal import CInterlockEvents
package import Testing

extension Trait where Self == ConditionTrait {
  /// Only in a build that can control the calls that wait and wake: not under ThreadSanitizer.
  package static var controlled: Self {
    .enabled(
      if: interlock_events_available() == INTERLOCK_EVENTS_ALL,
      "this build cannot control the calls that wait and wake")
  }
}
