import CInterlockEvents
import Reports

extension ReportContext.Sight {
  /// The calls that this executable, and so its children, can follow.
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
