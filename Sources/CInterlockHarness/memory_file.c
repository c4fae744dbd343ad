#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_memory_file.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

// In C because Swift imports neither `memfd_create` nor the variadic `fcntl` that seals.

int interlock_memory_file(size_t bytes) {
#if defined(__linux__)
  struct rlimit limit;
  // A file above that limit would end this process by SIGXFSZ.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) {
    errno = EFBIG;
    return -1;
  }
  int descriptor = memfd_create("interlock", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  // Sealed, because reading a page that a child has truncated would end this process by SIGBUS.
  if (ftruncate(descriptor, (off_t)bytes) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return descriptor;
  int reason = errno;
  close(descriptor);
  errno = reason;
  return -1;
#else
  (void)bytes;
  errno = ENOSYS;
  return -1;
#endif
}
