import Dispatch
import Synchronization

/// The same code as `LocalAtomics`, optimised.
package enum OptimizedAtomics {
  package static func escaping() -> Int {
    let value = Atomic<Int>(0)
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      value.store(1, ordering: .releasing)
      isDone.signal()
    }
    isDone.wait()
    return value.load(ordering: .acquiring)
  }
}
