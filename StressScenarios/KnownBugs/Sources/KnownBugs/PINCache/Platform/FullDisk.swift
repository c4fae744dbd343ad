import Foundation

/// Runs `body` while no file of the process can grow: a write fails as on a full disk, except that
/// its error is `EFBIG`, and files can still be made, renamed and removed.
func withFullDisk<R>(_ body: () throws -> R) rethrows -> R {
  // The signal of a refused write; its default action ends the process.
  signal(SIGXFSZ, SIG_IGN)
  #if canImport(Glibc)
  let files = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
  let files = RLIMIT_FSIZE
  #endif
  var before = rlimit()
  guard getrlimit(files, &before) == 0 else {
    preconditionFailure("the limit of the size of files cannot be read")
  }
  var full = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
  setrlimit(files, &full)
  defer { setrlimit(files, &before) }
  return try body()
}
