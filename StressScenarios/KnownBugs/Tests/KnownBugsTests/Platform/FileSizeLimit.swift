import Foundation

/// Makes every write beyond this size of a file fail in this process, as on a full disk; for exit
/// tests.
func limitFileSize(to bytes: UInt) {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit()
  limit.rlim_cur = .init(bytes)
  limit.rlim_max = .init(bytes)
  #if canImport(Glibc)
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #else
  setrlimit(RLIMIT_FSIZE, &limit)
  #endif
}
