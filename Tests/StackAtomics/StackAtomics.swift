import Dispatch
import Synchronization

/// An atomic on the stack of the thread that waits for the atomic's users: it is in no box.
package enum StackAtomics {
  package static func shared() -> Bool {
    let value = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      if index == 0 {
        value.store(true, ordering: .releasing)
      } else {
        _ = value.load(ordering: .acquiring)
      }
    }
    return value.load(ordering: .relaxed)
  }
}
