import Dispatch
import Synchronization

/// Atomics in local variables, whose operations are plain instructions on x86: no symbol of this
/// module names them.
package enum LocalAtomics {
  /// An atomic captured by a closure that another thread runs.
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
