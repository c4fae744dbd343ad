#if canImport(Darwin)
import Darwin
import Dispatch
import ProcessInspection

// Written from Apple's headers; not yet run on an Apple system.

extension Platform {
  /// The path of the running executable.
  static var executable: String {
    var size = UInt32(PATH_MAX)
    var path = [CChar](repeating: 0, count: Int(size) + 1)
    guard _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Creates an unlinked file of this size; `nil` if the system refuses. A child can change the
  /// file's size: Apple's systems have no file seals.
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

  /// Reaps the threads of a child that this process traces. Does nothing: on Apple's systems a
  /// tracer receives no threads.
  static func reapTracedThreads(of process: pid_t) {}

  /// Always false: on Apple's systems, the toolchain's backtracer does not read a crashing process.
  static func isBacktraced(_ process: pid_t) -> Bool { false }

  /// The current path of an open folder; `nil` if it has been removed.
  static func path(of folder: Int32) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard fcntl(folder, F_GETPATH, &path) == 0 else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Forbids core files. Apple's systems do not enforce `RLIMIT_AS`: only resident memory bounds a
  /// child.
  static func limit(addressSpaceBytes: UInt?) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(RLIMIT_CORE, &none)
  }

  /// Creates a mark for a child. Always `nil`: no call on Apple's systems reads another process's
  /// limits.
  static func makeMark() -> ChildMark? { nil }

  /// Marks this process. Never called, because there is no mark.
  static func wear(_ mark: ChildMark) {}

  /// Kills every process that has the mark. Never called, because there is no mark.
  static func killAll(with mark: ChildMark, startedBy child: pid_t) {}

  /// Does nothing: Apple's systems have no such setting.
  static func giveWayIfMemoryIsShort() {}

  /// Serves the main queue forever. Call it on the main thread.
  static func serveMainQueue() -> Never { dispatchMain() }
}
#endif
