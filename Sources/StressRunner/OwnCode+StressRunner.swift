package import Interlock
import MemoryCheck
import Prediction

extension OwnCode {
  /// This target, and the targets that it imports.
  package static let stressRunner: Set<OwnCode> = prediction.union(memoryCheck)
    .union([OwnCode(.runner)])
}
