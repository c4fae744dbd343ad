// Exploration in a child process, with what it does in shared memory: the end of the child is a
// finding.
#include "interlock_layouts.h"
#include "interlock_tests.h"
#include "../Sections/section_lines.h"
#include "isolation.h"

#ifdef INTERLOCK_INTERPOSES

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENGINE interlock_the_engine

/// NULL if races in memory are not checked.
void interlock_memory_go_on_in_child(void) __attribute__((weak));

static void run_child(interlock_shared_memory *shared, const interlock_exploration_options *options,
                      bool (*body)(void *), void *context, interlock_strategy *strategy,
                      bool is_last, int counter) {
  interlock_stacks_forget();
  ENGINE.is_child = true;
  ENGINE.counter = counter;
  ENGINE.must_fork_again = is_last ? NULL : &shared->must_fork_again;
  // The lists as they were are the parent's.
  ENGINE.choices.items = shared->choices;
  ENGINE.choices.room = sizeof shared->choices / sizeof *shared->choices;
  ENGINE.trace.items = shared->trace;
  ENGINE.trace.room = sizeof shared->trace / sizeof *shared->trace;
  ENGINE.details = &shared->details;
  ENGINE.shown_choices = &shared->choice_count;
  ENGINE.shown_steps = &shared->step_count;
  ENGINE.shown_naming = &shared->is_naming;
  interlock_exploration_options limited = *options;
  const uint64_t most_steps = INTERLOCK_SHARED_STEPS;
  if (limited.steps == 0 || limited.steps > most_steps) limited.steps = most_steps;
  if (interlock_memory_go_on_in_child) interlock_memory_go_on_in_child();
  interlock_tests_mute();
  if (options->child_begins) options->child_begins(options->report_context);
  interlock_exploration_result *result = &shared->result;
  shared->status = interlock_explore(&limited, body, context, strategy, result);
  // The result's lists are copies, which no later execution of the child has changed.
  memcpy(shared->choices, result->choices_made,
         result->choice_count * sizeof *result->choices_made);
  shared->choice_count = result->choice_count;
  memcpy(shared->trace, result->trace, result->trace_count * sizeof *result->trace);
  shared->step_count = result->trace_count;
  const size_t most_blocked = INTERLOCK_SHARED_BLOCKED;
  const size_t blocked = result->blocked_count;
  shared->blocked_count = blocked < most_blocked ? blocked : most_blocked;
  memcpy(shared->blocked, result->blocked, shared->blocked_count * sizeof *result->blocked);
  shared->trace_order = interlock_trace_hash();
  // Before the report: that may need a lock which another thread held at the fork.
  shared->is_over = true;
  if (options->report) {
    shared->report_size =
        options->report(options->report_context, shared->report, sizeof shared->report);
  }
  fflush(NULL);
  _exit(0);
}

/// Whether a thread waits for a futex of its process without a time limit.
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

/// Whether each thread of the process waits so: none is left that could wake one.
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

/// Why a child was killed.
typedef enum { not_killed, out_of_time, cannot_go_on } kill_reason;

/// Waits for the child's end, or until it is time to look at the child again.
static void wait_for_end(int descriptor) {
  struct pollfd end = {.fd = descriptor, .events = POLLIN};
  // Without a descriptor (before Linux 5.3), poll only waits.
  poll(&end, 1, descriptor < 0 ? 1 : 50);
}

/// Waits for the child's end; kills it where nothing moves for long, or where it goes on long after
/// `budget`: 0 for none. Returns its wait status.
static int wait_for(pid_t child, const interlock_shared_memory *shared, uint64_t limit,
                    uint64_t budget, kill_reason *killed) {
  // The report reads the code of whole modules, and naming a race the debug information of the
  // executable: seconds, and minutes on a busy machine. A race whose order cannot be decided would
  // look like a finding without it.
  const uint64_t limit_of_report = 300000000000;
  const int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
  const uint64_t between_looks = 100000000;
  uint64_t seen_executions = 0, still = 0, looked_at = 0, before = interlock_real_now();
  const uint64_t begun = before;
  // Without the time in which a race is named.
  uint64_t exploring = 0;
  size_t seen_steps = 0;
  bool waited = false, was_naming = false;
  int status = 0;
  for (;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    uint64_t now = interlock_real_now(), passed = now - before;
    before = now;
    uint64_t executions = *(volatile const uint64_t *)&shared->result.executions;
    size_t steps = shared->step_count;
    bool is_naming = shared->is_over || shared->is_naming;
    // What follows the naming has its own time.
    if (executions != seen_executions || steps != seen_steps || is_naming != was_naming) {
      seen_executions = executions;
      seen_steps = steps;
      was_naming = is_naming;
      still = looked_at = 0;
      waited = false;
    } else {
      // Not more where this thread did not run either: the machine stood still.
      still += passed < between_looks ? passed : between_looks;
    }
    if (still - looked_at >= between_looks && !*killed) {
      // Twice: with OS threads, one could have woken another between the looks at both.
      bool waits = waits_for_ever(child);
      if (waits && waited) *killed = cannot_go_on;
      if (still > (is_naming ? limit_of_report : limit)) *killed = out_of_time;
      if (*killed) kill(child, SIGKILL);
      waited = waits;
      looked_at = still;
    }
    if (!is_naming) exploring += passed < between_looks ? passed : between_looks;
    // A body that writes over its counts seems to move for ever.
    const bool is_late = exploring > budget + 2 * limit ||
                         now - begun > budget + 2 * limit + limit_of_report;
    if (budget && is_late && !*killed) {
      *killed = out_of_time;
      kill(child, SIGKILL);
    }
    wait_for_end(descriptor);
  }
  if (descriptor >= 0) close(descriptor);
  return status;
}

/// What the child's end was, which no code of the child's could say any more.
static void report_end(interlock_child_result *child, int status, kill_reason killed) {
  interlock_exploration_result *result = &child->result;
  char *text = child->details.text;
  const size_t size = sizeof child->details.text;
  // The child ended in a warm-up.
  if (result->executions == 0) result->executions = 1;
  result->failures = 1;
  result->failed_at = result->executions;
  result->verdict = INTERLOCK_EXPLORED_CRASHED;
  result->is_complete = false;
  if (killed) {
    result->verdict = INTERLOCK_EXPLORED_TIMED_OUT;
    snprintf(text, size,
             killed == out_of_time
                 ? "an execution did not end, nor reach a point, in its time"
                 : "each thread of the child process waits for a futex that no thread will wake");
  } else if (WIFSIGNALED(status)) {
    result->signal = WTERMSIG(status);
    snprintf(text, size, "the process was ended by signal %d", result->signal);
  } else {
    snprintf(text, size, "the process ended with code %d", WEXITSTATUS(status));
  }
  result->must_begin_anew = false;
  result->differed_at = result->blocked_count = 0;
}

/// Explores in one child. Returns false if the child came to a lock that another thread of this
/// process held at the fork: the copy of the lock is never released.
static bool explore_in_child(interlock_shared_memory *shared, bool is_last,
                             const interlock_exploration_options *options, bool (*body)(void *),
                             void *context, interlock_strategy *strategy,
                             interlock_child_result *taken, interlock_explore_status *status) {
  // What lies behind is of use only as far as these say.
  memset(shared, 0, offsetof(interlock_shared_memory, choices));
  fflush(NULL);
  const pid_t parent = getpid();
  const int counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pid_t child = fork();
  if (child == 0) {
    // A child whose parent is killed would go on, and hold the parent's output open.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    interlock_marks.hidden--;
    run_child(shared, options, body, context, strategy, is_last, counter);
  }
  *status = INTERLOCK_EXPLORE_NO_CHILD;
  kill_reason killed = not_killed;
  uint64_t of_one = options->execution_time ? options->execution_time : 10000000000;
  int end = child < 0 ? 0 : wait_for(child, shared, 2 * of_one + 2000000000, options->budget,
                                     &killed);
  // Stays 0 where no execution has begun.
  eventfd_t counted = 0;
  if (counter >= 0) {
    eventfd_read(counter, &counted);
    close(counter);
  }
  if (child < 0) return true;
  if (!is_last && (shared->must_fork_again || killed == cannot_go_on)) return false;
  interlock_child_take(shared, options, counter < 0 ? NULL : &counted, taken);
  *status = taken->is_over ? taken->status : INTERLOCK_EXPLORE_RAN;
  // Behind the last execution too, memory that the body has destroyed may end the process.
  bool ends_by_signal = WIFSIGNALED(end) && !killed && !taken->result.failures;
  if (!taken->is_over || ends_by_signal) {
    *status = INTERLOCK_EXPLORE_RAN;
    report_end(taken, end, killed);
  }
  return true;
}

interlock_explore_status interlock_explore_forked(interlock_shared_memory *shared,
                                                  const interlock_exploration_options *options,
                                                  bool (*body)(void *), void *context,
                                                  interlock_strategy *strategy,
                                                  interlock_child_result *child) {
  interlock_explore_status status = INTERLOCK_EXPLORE_NO_CHILD;
  uint64_t begun = interlock_real_now();
  for (bool is_over = false; !is_over;) {
    bool is_last = interlock_real_now() - begun > INTERLOCK_OUTSIDE_LONGEST;
    is_over =
        explore_in_child(shared, is_last, options, body, context, strategy, child, &status);
  }
  return status;
}

interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result) {
  static interlock_shared_memory *last;
  // The result points into it.
  static interlock_child_result child;
  memset(result, 0, sizeof *result);
  if (interlock_is_explored()) return INTERLOCK_EXPLORE_NESTED;
  // In a child the runtime writes the parent's number of the thread, and a layout seems to differ.
  interlock_layouts_lost(0);
  interlock_marks.hidden++;
  interlock_share_section_lines();
  interlock_explore_status status = INTERLOCK_EXPLORE_NO_MEMORY;
  if (last) munmap(last, sizeof *last);
  last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (last == MAP_FAILED) {
    last = NULL;
  } else if (options->forks_each) {
    status = interlock_explore_each(last, options, body, context, strategy, &child, result);
  } else {
    status = interlock_explore_forked(last, options, body, context, strategy, &child);
    if (status == INTERLOCK_EXPLORE_RAN) *result = child.result;
  }
  interlock_marks.hidden--;
  return status;
}

#else

#include <string.h>

interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result) {
  return interlock_explore(options, body, context, strategy, result);
}

#endif
