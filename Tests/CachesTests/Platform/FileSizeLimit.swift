import Foundation

/// Lets no file of this process grow beyond a size: a write that would is an error, as on a full disk.
func limitFileSize(to bytes: Int) {
  _ = signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
  #if canImport(Glibc)
  let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
  let resource = RLIMIT_FSIZE
  #endif
  precondition(setrlimit(resource, &limit) == 0)
}
