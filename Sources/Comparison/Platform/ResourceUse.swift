import CInterlockHarness

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The resources that this process has used so far, including threads that have ended.
struct ResourceUse {
  /// Processor time, including the system's for this process; nanoseconds.
  var processorNanoseconds: Int
  /// How often a thread gave up its processor to wait.
  var voluntarySwitches: Int
  /// How often a thread was preempted.
  var involuntarySwitches: Int

  /// The current values, by `getrusage`.
  static var now: ResourceUse {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    func nanoseconds(_ time: timeval) -> Int {
      Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_usec) * 1000
    }
    return ResourceUse(
      processorNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
      voluntarySwitches: Int(usage.ru_nvcsw), involuntarySwitches: Int(usage.ru_nivcsw))
  }
}

/// The bytes that the allocator has handed out; `nil` if it does not report them.
func heapBytes() -> Int? {
  let bytes = interlock_heap_bytes()
  return bytes < 0 ? nil : Int(bytes)
}

/// A number that no other living thread of the process has.
var threadIdentity: UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  UInt(pthread_self())
  #endif
}
