#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

// In C because Swift imports neither the variadic `syscall` and `prctl` nor `memfd_create` and
// `prlimit`, and because only the preprocessor knows which system calls exist.

bool interlock_signal_thread(pid_t process, int64_t thread, int signal) {
#if defined(__linux__)
  return syscall(SYS_tgkill, process, (pid_t)thread, signal) == 0;
#else
  (void)process;
  (void)thread;
  (void)signal;
  return false;
#endif
}

bool interlock_die_with_parent(void) {
#if defined(__linux__)
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
#else
  return false;
#endif
}

uint64_t interlock_real_time_limit(pid_t process) {
#if defined(__linux__)
  struct rlimit limit;
  if (prlimit(process, RLIMIT_RTTIME, NULL, &limit) != 0) return 0;
  return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
#else
  (void)process;
  return 0;
#endif
}

bool interlock_set_real_time_limit(uint64_t microseconds) {
#if defined(__linux__)
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTTIME, &limit) != 0) return false;
  limit.rlim_max = (rlim_t)microseconds;
  // RLIM_INFINITY is the highest number.
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_RTTIME, &limit) == 0;
#else
  (void)microseconds;
  return false;
#endif
}

int interlock_open_process(pid_t process) {
#if defined(SYS_pidfd_open)
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return -1;
#endif
}

void interlock_kill_opened_process(int descriptor) {
#if defined(SYS_pidfd_send_signal)
  syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
#else
  (void)descriptor;
#endif
}

void interlock_name_thread(const char *name) {
#if defined(__linux__)
  prctl(PR_SET_NAME, name);
#else
  pthread_setname_np(name);
#endif
}

int interlock_memory_file(size_t bytes) {
#if defined(__linux__)
  struct rlimit limit;
  // Above that limit the system would end this process by SIGXFSZ.
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

bool interlock_under_thread_sanitizer(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

#if defined(__linux__)
static interlock_wait with_timeout_pointer(uint64_t pointer, interlock_wait without) {
  return pointer == 0 ? without : INTERLOCK_WAIT_TIME;
}

static interlock_wait with_milliseconds(uint64_t milliseconds, interlock_wait without) {
  return (int32_t)milliseconds < 0 ? without : INTERLOCK_WAIT_TIME;
}
#endif

bool interlock_is_futex(long number) {
#if defined(__linux__)
  return number == SYS_futex;
#else
  (void)number;
  return false;
#endif
}

interlock_wait interlock_classify_wait(long number, const uint64_t arguments[6]) {
#if defined(__linux__)
  switch (number) {
  case SYS_futex:
    return arguments[3] == 0 ? INTERLOCK_WAIT_FOREVER : INTERLOCK_WAIT_TIMED_FUTEX;
#ifdef SYS_futex_waitv
  case SYS_futex_waitv:
    return arguments[3] == 0 ? INTERLOCK_WAIT_FOREVER : INTERLOCK_WAIT_TIMED_FUTEX;
#endif
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_restart_syscall:  // an interrupted sleep continues as this call
    return INTERLOCK_WAIT_TIME;
#ifdef SYS_poll
  case SYS_poll:
    return with_milliseconds(arguments[2], INTERLOCK_WAIT_POLL);
#endif
  case SYS_ppoll:
    return with_timeout_pointer(arguments[2], INTERLOCK_WAIT_POLL);
#ifdef SYS_select
  case SYS_select:
    return with_timeout_pointer(arguments[4], INTERLOCK_WAIT_POLL);
#endif
  case SYS_pselect6:
    return with_timeout_pointer(arguments[4], INTERLOCK_WAIT_POLL);
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
    return with_milliseconds(arguments[3], INTERLOCK_WAIT_EPOLL);
#endif
  case SYS_epoll_pwait:
    return with_milliseconds(arguments[3], INTERLOCK_WAIT_EPOLL);
#ifdef SYS_epoll_pwait2
  case SYS_epoll_pwait2:
    return with_timeout_pointer(arguments[3], INTERLOCK_WAIT_EPOLL);
#endif
  case SYS_rt_sigtimedwait:
    return with_timeout_pointer(arguments[2], INTERLOCK_WAIT_FOREVER);
  case SYS_semtimedop:
    return with_timeout_pointer(arguments[3], INTERLOCK_WAIT_OUTSIDE);
#ifdef SYS_pause
  case SYS_pause:
#endif
  case SYS_rt_sigsuspend:
    return INTERLOCK_WAIT_FOREVER;
  default:
    // A read, an accept, a wait for a child, a file lock, or an unknown call.
    return INTERLOCK_WAIT_OUTSIDE;
  }
#else
  (void)number;
  (void)arguments;
  return INTERLOCK_WAIT_FOREVER;
#endif
}
