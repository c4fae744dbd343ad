import Dispatch
import Foundation

#if canImport(CInterlockMemory)
import CInterlockMemory
#endif

/// Prints what accesses of memory cost in this build: plain, with ThreadSanitizer's runtime, or
/// with Interlock's check.
///
/// The package builds it with the check. `interlock bench memory` has the compiler alone build it
/// in the other two ways, where it finds no module of the package.
@main
struct YardstickMemory {
  static func main() {
    #if canImport(CInterlockMemory)
    if let reason = interlock_memory_start() {
      FileHandle.standardError.write(Data("error: \(String(cString: reason))\n".utf8))
      exit(1)
    }
    #endif
    // Start a second thread: locks are cheaper in a process with one thread.
    let end = DispatchSemaphore(value: 0)
    Thread { end.wait() }.start()
    let box = Box()
    time("plain field") { for _ in 0..<$0 { box.addToField() } }
    time("array element") { for index in 0..<$0 { box.addToElement(index & 1023) } }
    time("dictionary, set and get") { for index in 0..<$0 { box.setAndGet(index & 255) } }
    time("field under a lock") { for _ in 0..<$0 { box.addUnderLock() } }
    print("memory\t\(residentGrowth())")
    end.signal()
  }

  /// Prints the median of several rounds, in nanoseconds of one turn.
  private static func time(_ name: String, _ body: (Int) -> Void) {
    let turns = 20_000
    let times = (0..<31).map { _ in
      let start = nanoseconds()
      body(turns)
      return Double(nanoseconds() - start) / Double(turns)
    }
    print("\(name)\t\(times.dropFirst().sorted()[15])")
  }

  /// The processor time that the calling thread has used, which other processes do not affect.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// By how many bytes the resident memory grows while 32 MB of numbers and 100,000 objects are
  /// written by one thread and read by another.
  private static func residentGrowth() -> Int {
    let before = residentBytes()
    let heap = Heap()
    heap.fill()
    let read = DispatchSemaphore(value: 0)
    Thread {
      heap.read()
      read.signal()
    }.start()
    read.wait()
    let growth = residentBytes() - before
    withExtendedLifetime(heap) {}
    return growth
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}

private final class Box {
  private var field = 0
  private var array = [Int](repeating: 0, count: 1024)
  private var table: [Int: Int] = [:]
  private let lock = NSLock()

  @inline(never) func addToField() { field &+= 1 }
  @inline(never) func addToElement(_ index: Int) { array[index] &+= 1 }
  @inline(never) func setAndGet(_ key: Int) {
    table[key] = key
    field &+= table[key &+ 1] ?? 0
  }
  @inline(never) func addUnderLock() {
    lock.lock()
    field &+= 1
    lock.unlock()
  }
}

/// What the memory of a check is measured on. Unchecked: a semaphore orders its two threads.
private final class Heap: @unchecked Sendable {
  private final class Object {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private var numbers: [Int] = []
  private var objects: [Object] = []
  private var sum = 0

  func fill() {
    numbers = Array(repeating: 0, count: 4 << 20)
    for index in numbers.indices { numbers[index] = index }
    objects = (0..<100_000).map { Object($0) }
  }

  func read() {
    for number in numbers { sum &+= number }
    for object in objects { sum &+= object.number }
  }
}
