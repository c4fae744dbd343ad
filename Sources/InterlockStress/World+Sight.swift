import CInterlockEvents
import Reports

extension ReportContext.Sight {
  /// What this executable sees of itself, and so of the children that it becomes.
  static var ofThisBuild: ReportContext.Sight {
    switch interlock_events_available() {
    case INTERLOCK_EVENTS_ALL: .everything
    case INTERLOCK_EVENTS_WITHOUT_DISPATCH: .withoutDispatch
    case INTERLOCK_EVENTS_NONE_SANITIZER: .sanitized
    case INTERLOCK_EVENTS_NONE_TRAIT: .leftOut
    default: .unsupportedSystem
    }
  }
}
