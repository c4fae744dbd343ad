#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Has every write of this process that would make a file longer than this fail, as on a full disk.
func limitFileSize(to bytes: UInt) {
  signal(SIGXFSZ, SIG_IGN)
  #if canImport(Glibc)
  var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t.max)
  let code = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #else
  var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t.max)
  let code = setrlimit(RLIMIT_FSIZE, &limit)
  #endif
  precondition(code == 0, "the limit could not be set")
}
