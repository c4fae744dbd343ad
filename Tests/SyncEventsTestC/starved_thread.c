// A thread without a processor: the parent of `vfork` does not run until its child has ended.
#define _GNU_SOURCE 1
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync_events_test.h"

void sync_events_starve(int until_written) {
  char byte;
  pid_t child = vfork();
  if (child == 0) {
    // A direct system call, not an interposed one: the child shares the parent's memory.
    while (syscall(SYS_read, until_written, &byte, 1) < 0) continue;
    syscall(SYS_exit_group, 0);
  }
  waitpid(child, NULL, 0);
}
