#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_open_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// In C because Swift does not import the variadic `syscall`, and only the preprocessor knows
// whether `openat2` exists.

int interlock_open_folder(int parent, const char *name) {
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#if defined(SYS_openat2)
  // A bind mount may have the same device number: only the kernel can detect it.
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)flags, 0, 0x01 | 0x04 | 0x08};  // RESOLVE_NO_XDEV, _NO_SYMLINKS, _BENEATH
  int opened = (int)syscall(SYS_openat2, parent, name, &how, sizeof how);
  // Linux before 5.6 lacks this call, and some sandboxes forbid calls that they do not know.
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM)) return opened;
#endif
  int descriptor = openat(parent, name, flags);
  struct stat inner, outer;
  if (descriptor < 0) return -1;
  if (fstat(descriptor, &inner) == 0 && fstat(parent, &outer) == 0 &&
      inner.st_dev == outer.st_dev)
    return descriptor;
  close(descriptor);
  errno = EXDEV;
  return -1;
}
