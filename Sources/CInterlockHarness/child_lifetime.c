#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_child_lifetime.h"

#include <signal.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// In C because Swift imports neither the variadic `prctl` and `syscall` nor the calls' numbers.

bool interlock_die_with_parent(void) {
#if defined(__linux__)
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
#else
  return false;
#endif
}

int interlock_open_process(int process) {
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
