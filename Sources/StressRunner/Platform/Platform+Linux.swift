#if os(Linux)
import CInterlockHarness
import Foundation
import ProcessInspection

extension Platform {
  /// The path of the running executable.
  static var executable: String { "/proc/self/exe" }

  /// Creates an anonymous file in memory of this size, whose size no child can change; `nil` if the
  /// system refuses.
  static func makeSharedFile(bytes: Int) -> Int32? {
    let descriptor = interlock_memory_file(bytes)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Reaps the threads of a child that have made this process their tracer: the child cannot be
  /// reaped earlier.
  static func reapTracedThreads(of process: pid_t) {
    var status: Int32 = 0
    for thread in threadNumbers(of: process) where thread != Int(process) {
      waitpid(pid_t(thread), &status, WNOHANG | Int32(__WALL))
    }
  }

  /// True if the toolchain's backtracer, which a crashing process starts, is reading the process.
  static func isBacktraced(_ process: pid_t) -> Bool {
    numbers(in: "/proc").contains { number in
      guard let bytes = contents(of: "/proc/\(number)/stat", atMost: 4096) else { return false }
      // The fields are the id, the name, the state and the parent's id.
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      return fields.count > 3 && fields[1] == "(swift-backtrace)" && fields[3] == "\(process)"
    }
  }

  /// The current path of an open folder; `nil` if it has been removed.
  static func path(of folder: Int32) -> String? {
    var status = stat()
    guard fstat(folder, &status) == 0, status.st_nlink > 0 else { return nil }
    return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(folder)")
  }

  /// Bounds this process's address space and forbids core files.
  static func limit(addressSpaceBytes: UInt?) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    if let addressSpaceBytes {
      var space = rlimit(rlim_cur: addressSpaceBytes, rlim_max: addressSpaceBytes)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space)
    }
  }

  /// Makes the system end this process and its future children first when memory runs short, rather
  /// than the runner.
  static func giveWayIfMemoryIsShort() {
    let descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, "1000", 4)
    close(descriptor)
  }

  /// Serves the main queue forever. Call it on the main thread.
  ///
  /// `dispatchMain` cannot be used: it ends the main thread, and `/proc` then shows neither maps
  /// nor memory.
  static func serveMainQueue() -> Never {
    while true {
      // Wait without a timeout, so that the thread does not look like one that wakes up by itself.
      if !RunLoop.main.run(mode: .default, before: .distantFuture) { pause() }
    }
  }
}
#endif
