import Dispatch
import Foundation

/// Prints the cost of an uncontended `NSLock` pair in a program that links nothing of Interlock.
///
/// `bench sections` divides by it: this is what users' locks cost without Interlock. In
/// `interlock` itself the calls of every lock are interposed, and cost more.
@main
struct YardstickLocks {
  static func main() {
    // Start a second thread: locks may be cheaper in a process with one thread, which concurrent
    // code never is.
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    let lock = NSLock()
    let times = (0..<20).map { _ in
      let start = nanoseconds()
      for _ in 0..<20_000 {
        lock.lock()
        lock.unlock()
      }
      return Double(nanoseconds() - start) / 20_000
    }
    print("NSLock\t\(times.dropFirst().sorted()[9])")
    end.signal()
  }

  /// The processor time that the calling thread has used, which other processes do not affect.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
