import Foundation
import Dispatch

/// A second thread, which lives until `leave()`.
struct Companion {
  private let end = DispatchSemaphore(value: 0)

  init() {
    let end = end
    Thread { end.wait() }.start()
  }

  func leave() { end.signal() }
}
