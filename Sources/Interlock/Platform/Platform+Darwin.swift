#if canImport(Darwin)
internal import Darwin
internal import SectionTable

extension Platform {
  /// The name of `thread`, if that is the calling thread; Darwin cannot name a thread by its
  /// number.
  static func threadName(_ thread: UInt) -> String? {
    if pthread_main_np() == 1 { return "main thread" }
    var number: UInt64 = 0
    pthread_threadid_np(nil, &number)
    guard UInt(number) == thread else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress, pthread_getname_np(pthread_self(), base, 64) == 0,
        base.pointee != 0
      else { return nil }
      return String(cString: base)
    }
  }

  static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

  /// Distinguishes this executable from other builds, by its size and time.
  static var executableIdentity: String {
    let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      var size = UInt32(buffer.count)
      guard let base = buffer.baseAddress, _NSGetExecutablePath(base, &size) == 0 else {
        return ""
      }
      return String(cString: base)
    }
    return identity(ofFile: path) ?? "unknown"
  }

  /// Unsupported on Darwin: no order is inferred.
  static func waitsToBeWoken(_ thread: UInt) -> Bool? { nil }

  /// Darwin's workers have no names of their own.
  static func isWorker(named name: String, ofRootQueue label: String) -> Bool { false }
}
#endif
