#if os(Linux)
import CInterlock
import Foundation
import WaitGraph

extension Platform {
  /// The running executable.
  static var executable: String { "/proc/self/exe" }

  /// A file in memory that has no name, of this size; `nil` where the system refuses.
  static func makeSharedFile(bytes: Int) -> Int32? {
    let descriptor = interlock_memory_file()
    guard descriptor >= 0 else { return nil }
    guard ftruncate(descriptor, bytes) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
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

  /// Runs what comes to the main queue, for ever; to be called on the main thread.
  ///
  /// Not `dispatchMain`, which ends the main thread: `/proc` then shows neither maps nor memory.
  static func serveMainQueue() -> Never {
    while true {
      // Waits without a timeout, so that it does not look like a thread that will go on by itself.
      if !RunLoop.main.run(mode: .default, before: .distantFuture) { pause() }
    }
  }
}
#endif
