#if canImport(Darwin)
internal import Darwin

extension Platform {
  /// The name of the calling thread, if `thread` is that; Darwin names no thread by its number.
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

  /// Darwin's workers have no names of their own.
  static func isWorker(named name: String, ofRootQueue label: String) -> Bool { false }
}
#endif
