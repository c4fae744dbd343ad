package import Interlock

extension OwnCode {
  /// This target.
  package static let lockStrategies: Set<OwnCode> = [OwnCode(.locks)]
}
