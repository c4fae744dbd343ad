package import Interlock
import MemoryCheck
import Prediction

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let stressRunner: Set<OwnCode> = prediction.union(memoryCheck)
    .union([OwnCode(.runner)])
}
