import Dispatch
import Foundation

/// Prints what an uncontended `NSLock` pair takes in a program that links nothing of Interlock:
/// what its users' locks cost without it, and so what `interlock bench sections` divides by. In
/// `interlock` itself the calls of every lock are interposed, and cost more.
@main
struct YardstickLocks {
  static func main() {
    // A process with one thread may get cheaper locks; concurrent code never is one.
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

  /// What the calling thread has used of a processor, ever: other processes take time, but none of
  /// this.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
