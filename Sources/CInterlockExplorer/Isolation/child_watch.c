// The parent's watch over its child processes: kills a child that makes no progress.
#include "interlock_strategies.h"
#include "isolation.h"

#ifdef INTERLOCK_INTERPOSES

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// True if the thread waits for a futex of its process without a time limit.
static bool waits_in_futex(pid_t process, const char *thread) {
  char path[64], line[128] = "";
  snprintf(path, sizeof path, "/proc/%d/task/%s/syscall", process, thread);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool is_read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  long number;
  unsigned long word, operation, value, limit;
  if (!is_read ||
      sscanf(line, "%ld %lx %lx %lx %lx", &number, &word, &operation, &value, &limit) != 5 ||
      number != SYS_futex || limit != 0 || !(operation & FUTEX_PRIVATE_FLAG)) {
    return false;
  }
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI: return true;
    default: return false;
  }
}

/// True if each thread of the process waits for such a futex: no thread is left to wake another.
static bool waits_for_ever(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (!threads) return false;
  bool waits = true;
  for (struct dirent *thread; waits && (thread = readdir(threads));) {
    if (thread->d_name[0] != '.') waits = waits_in_futex(process, thread->d_name);
  }
  closedir(threads);
  return waits;
}

void interlock_child_watch_begin(interlock_child_watch *self, pid_t child,
                                 const interlock_shared_memory *shared, uint64_t limit,
                                 uint64_t budget) {
  *self = (interlock_child_watch){.child = child, .shared = shared, .limit = limit,
                                  .budget = budget};
  self->descriptor = (int)syscall(SYS_pidfd_open, child, 0);
  self->begun = self->before = interlock_real_now();
}

/// Notes whether the child has made progress since the last look.
static void note_progress(interlock_child_watch *self, bool is_naming, uint64_t passed) {
  uint64_t executions = *(volatile const uint64_t *)&self->shared->result.executions;
  size_t steps = self->shared->step_count;
  // New stacks are progress: ten thousand threads may be made between two points, which may take
  // many seconds.
  uint32_t stacks = *(volatile const uint32_t *)&self->shared->result.most_stacks;
  // The report comes after the naming of a race, and has its own time limit.
  if (executions != self->seen_executions || steps != self->seen_steps ||
      stacks != self->seen_stacks || is_naming != self->was_naming) {
    self->seen_executions = executions;
    self->seen_steps = steps;
    self->seen_stacks = stacks;
    self->was_naming = is_naming;
    self->still = self->looked_at = 0;
    self->waited = false;
  } else {
    self->still += passed;
  }
}

bool interlock_child_watch_look(interlock_child_watch *self) {
  // The report reads the code of whole modules, and naming a race reads the executable's debug
  // information: seconds, or minutes on a busy machine. Without that time, a race whose order
  // cannot be decided would become a finding.
  const uint64_t limit_of_report = 300000000000;
  const uint64_t between_looks = 100000000;
  if (self->has_ended) return true;
  pid_t ended = waitpid(self->child, &self->status, WNOHANG);
  if (ended == self->child || (ended < 0 && errno != EINTR)) {
    if (self->descriptor >= 0) close(self->descriptor);
    self->descriptor = -1;
    return self->has_ended = true;
  }
  uint64_t now = interlock_real_now(), passed = now - self->before;
  self->before = now;
  // A longer gap means that the machine stood still: this thread did not run either.
  if (passed > between_looks) passed = between_looks;
  bool is_naming = self->shared->is_over || self->shared->is_naming;
  note_progress(self, is_naming, passed);
  if (self->still - self->looked_at >= between_looks && !self->killed) {
    // Two looks in a row must agree: with OS threads, one thread may wake another between the looks
    // at both.
    bool waits = waits_for_ever(self->child);
    if (waits && self->waited) self->killed = INTERLOCK_CHILD_CANNOT_GO_ON;
    if (self->still > (is_naming ? limit_of_report : self->limit)) {
      self->killed = INTERLOCK_CHILD_OUT_OF_TIME;
    }
    if (self->killed) kill(self->child, SIGKILL);
    self->waited = waits;
    self->looked_at = self->still;
  }
  if (!is_naming) self->exploring += passed;
  // A body that writes over its counts seems to make progress for ever.
  const uint64_t most = self->budget + 2 * self->limit;
  const bool is_late = self->exploring > most || now - self->begun > most + limit_of_report;
  if (self->budget && is_late && !self->killed) {
    self->killed = INTERLOCK_CHILD_OUT_OF_TIME;
    kill(self->child, SIGKILL);
  }
  return false;
}

void interlock_child_watch_end(interlock_child_watch *self) {
  if (self->has_ended) return;
  kill(self->child, SIGKILL);
  while (waitpid(self->child, &self->status, 0) < 0 && errno == EINTR) {
  }
  if (self->descriptor >= 0) close(self->descriptor);
  self->has_ended = true;
}

void interlock_children_wait(const interlock_child_watch *const *watches, uint32_t count) {
  struct pollfd ends[INTERLOCK_JOBS_MOST];
  nfds_t open = 0;
  // Without pidfd (before Linux 5.3), poll only waits for the time limit.
  bool has_descriptors = true;
  for (uint32_t i = 0; i < count && i < INTERLOCK_JOBS_MOST; i++) {
    if (watches[i]->has_ended) continue;
    has_descriptors &= watches[i]->descriptor >= 0;
    ends[open++] = (struct pollfd){.fd = watches[i]->descriptor, .events = POLLIN};
  }
  poll(ends, open, has_descriptors ? 50 : 1);
}

#endif
