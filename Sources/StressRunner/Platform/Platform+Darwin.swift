#if canImport(Darwin)
import CInterlock
import Darwin
import Dispatch
import ProcessInspection

// Written from Apple's headers; not yet run there.

extension Platform {
  /// The running executable.
  static var executable: String {
    var size = UInt32(PATH_MAX)
    var path = [CChar](repeating: 0, count: Int(size) + 1)
    guard _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A file that has no name any more, of this size; `nil` where the system refuses. A child can
  /// change its size: there are no seals there.
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

  /// Reaps the threads of a child that this process traces: not needed, since a tracer there gets
  /// no threads.
  static func reapTracedThreads(of process: pid_t) {}

  /// Where an open folder is now; `nil` where it has been removed.
  static func path(of folder: Int32) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard fcntl(folder, F_GETPATH, &path) == 0 else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
  static func killAll(with mark: ChildMark, startedBy child: pid_t) {}

  /// Runs what comes to the main queue, for ever; to be called on the main thread.
  static func serveMainQueue() -> Never { dispatchMain() }
}
#endif
