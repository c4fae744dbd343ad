import CMarks
import CInterlockHarness
import Foundation

/// Functions that query the operating system about a process; each system has its own files in this
/// folder.
///
/// A function that inspects another process returns `nil`, or an empty list, if that process has
/// ended or may not be inspected: a child may end at any moment.
package enum Platform {
  /// A process as a whole.
  package struct Process {
    /// Threads in all.
    package var threads: Int
    /// Resident memory in bytes.
    package var residentBytes: Int
    /// Processor time used so far, in seconds.
    package var cpuSeconds: Double
    /// Whether its first thread has ended; if there is no other, the process waits to be reaped.
    package var isMainThreadDead = false
  }

  /// One thread of a process.
  package struct Thread {
    /// The system's number for it.
    package var id: Int
    /// Its name, as the system has it.
    package var name: String
    /// Its state.
    package var state: ThreadState
    /// The number of its context switches.
    package var switches: Int

    /// Describes a thread.
    package init(id: Int, name: String, state: ThreadState, switches: Int) {
      self.id = id
      self.name = name
      self.state = state
      self.switches = switches
    }
  }

  /// The state of a thread.
  package enum ThreadState: String {
    /// On a processor, or waiting for one.
    case running
    /// Waiting, and a signal would wake it.
    case sleeping
    /// Waiting for a device or for memory.
    case blocked
    /// Stopped by a signal or a debugger.
    case stopped
    /// Gone, or going.
    case dead
    /// A state of the system that this list does not have.
    case unknown
  }

  /// What a sleeping thread waits for.
  package enum Wait {
    /// A wake-up by another thread.
    case forever
    /// A futex with a timeout: perhaps it is an idle pool worker.
    case timedFutex
    /// A point in time.
    case wakesByItself
    /// An event from outside the process, without a limit: bytes, a connection, a signal, the end
    /// of a child.
    case input
    /// One of the descriptors that the process listens to.
    case listens
    /// Unknown: the system does not report it.
    case unknown
  }

  /// The kernel's wait for a word of memory.
  package struct Futex {
    /// The address of the word.
    package var word: UInt
    /// Whether only a thread of the same process can wake the waiting one.
    package var isPrivate: Bool
  }

  /// A timer of a process that is set.
  package struct Timer {
    /// The timer's descriptor.
    package var descriptor: Int
    /// The seconds until it fires.
    package var seconds: Double
    /// Whether it uses the clock of Dispatch's own housekeeping.
    package var isMonotonic: Bool
  }

  /// A stretch of a process's address space that holds code from a file.
  package struct Mapping {
    /// The addresses.
    package var addresses: Range<UInt>
    /// The offset in the file at which the stretch begins.
    package var offset: UInt
    /// The file.
    package var path: String
  }

  /// Seconds of the monotonic clock. The runner reads time only here.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Processor time that the calling thread has used, in seconds.
  package static var cpuOfThisThread: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// How many threads a pool of this process starts with: one for each processor, or as many as the
  /// runner has set.
  package static var poolThreads: Int {
    let set = Int(interlock_pool_width())
    return set > 0 ? set : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// The system's number for the calling thread.
  package static var thisThread: Int { Int(truncatingIfNeeded: interlock_thread_number()) }

  /// Whether ThreadSanitizer is built in.
  package static var isUnderThreadSanitizer: Bool { interlock_under_thread_sanitizer() }
}
