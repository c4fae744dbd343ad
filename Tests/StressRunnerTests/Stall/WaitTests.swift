import Foundation
import Synchronization
import Testing

@testable import StressRunner
import ProcessInspection

@Suite("What a thread waits for")
struct WaitTests {
  /// The system's data of a thread in a given state.
  private func wait(
    ofThreadIn body: @escaping @Sendable (_ isInside: () -> Void) -> Void,
    until looked: () -> Void
  ) -> Platform.Wait {
    let number = Atomic(0)
    let thread = DedicatedThread {
      body { number.store(Platform.thisThread, ordering: .releasing) }
    }
    while number.load(ordering: .acquiring) == 0 {}
    let wait = Platform.wait(of: number.load(ordering: .acquiring), in: getpid())
    looked()
    thread.join()
    return wait
  }

  @Test("A thread that has just been woken does not wait forever")
  func running() {
    let isLooked = Atomic(false)
    let wait = wait { isInside in
      isInside()
      while !isLooked.load(ordering: .relaxed) {}
    } until: {
      isLooked.store(true, ordering: .relaxed)
    }
    #expect(wait == .wakesByItself)
  }
}
