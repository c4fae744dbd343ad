#if canImport(Darwin)
import CInterlock
import Darwin
import Dispatch

// Written from Apple's headers; not yet run there.

extension Platform {
  /// The running executable.
  static var executable: String {
    var size = UInt32(PATH_MAX)
    var path = [CChar](repeating: 0, count: Int(size) + 1)
    guard _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A file that has no name any more, of this size; `nil` where the system refuses.
  static func makeSharedFile(bytes: Int) -> Int32? {
    var template = Array("/tmp/interlock-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    unlink(template)
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, ftruncate(descriptor, off_t(bytes)) == 0
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Forbids core files. Apple's systems do not enforce `RLIMIT_AS`: resident memory alone bounds
  /// a child there.
  static func limit(addressSpaceBytes: UInt?) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(RLIMIT_CORE, &none)
  }

  /// A mark for a child: not to be had, since no system call there reads another process's limits.
  static func makeMark() -> ChildMark? { nil }

  /// Marks this process: never asked for, since there is no mark.
  static func wear(_ mark: ChildMark) {}

  /// Kills every process that has the mark: never asked for, since there is no mark.
  static func killAll(with mark: ChildMark) {}

  /// Runs what comes to the main queue, for ever; to be called on the main thread.
  static func serveMainQueue() -> Never { dispatchMain() }

  /// The process as a whole.
  static func process(_ process: pid_t) -> Process? {
    var info = proc_taskinfo()
    let size = Int32(MemoryLayout<proc_taskinfo>.size)
    guard proc_pidinfo(process, PROC_PIDTASKINFO, 0, &info, size) == size else { return nil }
    return Process(
      threads: Int(info.pti_threadnum), residentBytes: Int(info.pti_resident_size),
      cpuSeconds: Double(info.pti_total_user + info.pti_total_system) / 1e9)
  }

  /// The process's threads. How often one was switched is not to be had; its processor time in
  /// microseconds grows when it runs, which is what the number is for.
  static func threads(of process: pid_t) -> [Thread] {
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

  /// The numbers of the process's threads.
  static func threadNumbers(of process: pid_t) -> [Int] {
    var numbers = [UInt64](repeating: 0, count: 4096)
    let size = Int32(numbers.count * MemoryLayout<UInt64>.stride)
    let used = proc_pidinfo(process, PROC_PIDLISTTHREADS, 0, &numbers, size)
    return numbers.prefix(max(0, Int(used)) / MemoryLayout<UInt64>.stride).map { Int($0) }
  }

  /// What a sleeping thread waits for: not to be had.
  static func wait(of thread: Int, in process: pid_t) -> Wait { .unknown }

  /// The timers that are set in a process: not to be had.
  static func timers(of process: pid_t) -> [Timer] { [] }

  /// Whether something outside a process may wake those of its threads that listen: not to be had.
  static func listensOutside(_ process: pid_t, ignoring: Set<Int>) -> Bool { false }

  /// The code that a process has mapped: not needed, since stacks are not captured there.
  static func mappings(of process: pid_t) -> [Mapping] { [] }
}
#endif
