#if canImport(Darwin)
import CMarks
import Darwin

// Written from Apple's headers; not yet run on an Apple system.

extension Platform {
  /// The process as a whole.
  package static func process(_ process: Int32) -> Process? {
    var info = proc_taskinfo()
    let size = Int32(MemoryLayout<proc_taskinfo>.size)
    guard proc_pidinfo(process, PROC_PIDTASKINFO, 0, &info, size) == size else { return nil }
    return Process(
      threads: Int(info.pti_threadnum), residentBytes: Int(info.pti_resident_size),
      cpuSeconds: Double(info.pti_total_user + info.pti_total_system) / 1e9)
  }

  /// The name of a process's program, cut to 15 bytes, and the start time of the process, in
  /// microseconds since 1970.
  package static func beginning(of process: Int32) -> (program: String, time: String)? {
    var info = proc_bsdinfo()
    let size = Int32(MemoryLayout<proc_bsdinfo>.size)
    guard proc_pidinfo(process, PROC_PIDTBSDINFO, 0, &info, size) == size else { return nil }
    let program = withUnsafeBytes(of: info.pbi_comm) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return (program, "\(info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec)")
  }

  /// The processor time that a thread has used: not needed, since there is no monitor there.
  package static func cpuSeconds(of thread: Int, in process: Int32) -> Double { 0 }

  /// The process's threads. The system has no count of switches; the processor time in microseconds
  /// also grows whenever the thread runs.
  package static func threads(of process: Int32) -> [Thread] {
    threadNumbers(of: process).compactMap { id in
      var info = proc_threadinfo()
      let size = Int32(MemoryLayout<proc_threadinfo>.size)
      guard proc_pidinfo(process, PROC_PIDTHREADINFO, UInt64(id), &info, size) == size else {
        return nil
      }
      let state: ThreadState =
        switch info.pth_run_state {
        case TH_STATE_RUNNING: .running
        case TH_STATE_STOPPED: .stopped
        case TH_STATE_WAITING: .sleeping
        case TH_STATE_UNINTERRUPTIBLE: .blocked
        case TH_STATE_HALTED: .dead
        default: .unknown
        }
      let name = withUnsafeBytes(of: info.pth_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return Thread(
        id: id, name: name, state: state,
        switches: Int((info.pth_user_time + info.pth_system_time) / 1000))
    }
  }

  /// Whether a thread has not handled a signal that was sent to it: not available.
  package static func willHandle(_ signal: Int32, _ thread: Int, of process: Int32) -> Bool {
    false
  }

  /// The numbers of the process's threads.
  package static func threadNumbers(of process: Int32) -> [Int] {
    var numbers = [UInt64](repeating: 0, count: 4096)
    let size = Int32(numbers.count * MemoryLayout<UInt64>.stride)
    let used = proc_pidinfo(process, PROC_PIDLISTTHREADS, 0, &numbers, size)
    return numbers.prefix(max(0, Int(used)) / MemoryLayout<UInt64>.stride).map { Int($0) }
  }

  /// What a sleeping thread waits for: not available.
  package static func wait(of thread: Int, in process: Int32) -> Wait { .unknown }

  /// The word on which a thread waits in the kernel: not available.
  package static func futex(of thread: Int, in process: Int32) -> Futex? { nil }

  /// Whether other processes may have the memory at an address: not available.
  package static func isShared(_ address: UInt) -> Bool? { nil }

  /// The timers that are set in a process: not available.
  package static func timers(of process: Int32) -> [Timer] { [] }

  /// Whether something outside a process may wake its threads that listen: not available.
  package static func listensOutside(_ process: Int32, ignoring: Set<Int>) -> Bool { false }

  /// The code that a process has mapped: not needed, since stacks are not captured there.
  package static func mappings(of process: Int32) -> [Mapping] { [] }
}
#endif
