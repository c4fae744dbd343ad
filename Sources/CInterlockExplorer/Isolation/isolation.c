// Exploration in a child process that reports through shared memory: the end of the child is a
// finding.
#include "interlock_layouts.h"
#include "interlock_performer.h"
#include "interlock_tests.h"
#include "../Sections/section_lines.h"
#include "isolation.h"
#include "../Memory/weak_exchanges.h"

#ifdef INTERLOCK_INTERPOSES

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
  // The engine's own lists are copies of the parent's: use the shared memory.
  ENGINE.choices.items = shared->choices;
  ENGINE.choices.room = sizeof shared->choices / sizeof *shared->choices;
  ENGINE.trace.items = shared->trace;
  ENGINE.trace.room = sizeof shared->trace / sizeof *shared->trace;
  ENGINE.details = &shared->details;
  ENGINE.shown_choices = &shared->choice_count;
  ENGINE.shown_steps = &shared->step_count;
  ENGINE.shown_naming = &shared->is_naming;
  if (options->jobs) {
    ENGINE.noted_traces = (uint64_t *)shared->log.words;
    ENGINE.noted_trace_count = &shared->noted_traces;
  }
  interlock_exploration_options limited = *options;
  const uint64_t most_steps = INTERLOCK_SHARED_STEPS;
  if (limited.steps == 0 || limited.steps > most_steps) limited.steps = most_steps;
  if (interlock_memory_go_on_in_child) interlock_memory_go_on_in_child();
  interlock_tests_mute();
  if (options->child_begins) options->child_begins(options->report_context);
  interlock_exploration_result *result = &shared->result;
  shared->status = interlock_explore(&limited, body, context, strategy, result);
  // The result's lists are copies that no later execution of the child has changed.
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
  // Set before the report, which may need a lock that another thread held at the fork.
  shared->is_over = true;
  if (options->report) {
    shared->report_size =
        options->report(options->report_context, shared->report, sizeof shared->report);
  }
  fflush(NULL);
  _exit(0);
}

/// Writes how the child ended into the result, which the child itself could no longer do.
static void report_end(interlock_child_result *child, int status,
                       interlock_child_killed killed) {
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
             killed == INTERLOCK_CHILD_OUT_OF_TIME
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

bool interlock_child_start(interlock_child *self, interlock_shared_memory *shared, bool is_last,
                           const interlock_exploration_options *options, bool (*body)(void *),
                           void *context, interlock_strategy *strategy) {
  // The counts before `choices` say how much of the lists is valid, so zeroing them is enough.
  memset(shared, 0, offsetof(interlock_shared_memory, choices));
  fflush(NULL);
  const pid_t parent = getpid();
  self->shared = shared;
  self->counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pid_t child = fork();
  if (child == 0) {
    // Without this, a child whose parent is killed would continue, and hold the parent's output
    // open.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    interlock_marks.hidden--;
    run_child(shared, options, body, context, strategy, is_last, self->counter);
  }
  if (child < 0) {
    if (self->counter >= 0) close(self->counter);
    return false;
  }
  uint64_t of_one = options->execution_time ? options->execution_time : 10000000000;
  interlock_child_watch_begin(&self->watch, child, shared, 2 * of_one + 2000000000,
                              options->budget);
  return true;
}

bool interlock_child_finish(interlock_child *self, bool is_last,
                            const interlock_exploration_options *options,
                            interlock_child_result *taken, interlock_explore_status *status) {
  const interlock_child_killed killed = self->watch.killed;
  const int end = self->watch.status;
  // Stays 0 if no execution has begun.
  eventfd_t counted = 0;
  if (self->counter >= 0) {
    eventfd_read(self->counter, &counted);
    close(self->counter);
  }
  if (!is_last && (self->shared->must_fork_again || killed == INTERLOCK_CHILD_CANNOT_GO_ON)) {
    return false;
  }
  interlock_child_take(self->shared, options, self->counter < 0 ? NULL : &counted, taken);
  *status = taken->is_over ? taken->status : INTERLOCK_EXPLORE_RAN;
  // A signal may also end the process after the last execution, if the body has corrupted memory.
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
    interlock_child forked;
    if (!interlock_child_start(&forked, shared, is_last, options, body, context, strategy)) {
      return INTERLOCK_EXPLORE_NO_CHILD;
    }
    const interlock_child_watch *watch = &forked.watch;
    while (!interlock_child_watch_look(&forked.watch)) interlock_children_wait(&watch, 1);
    is_over = interlock_child_finish(&forked, is_last, options, child, &status);
  }
  return status;
}

bool interlock_isolation_begin(void) {
  if (interlock_is_explored()) return false;
  // The runtime in the child writes the parent's thread number, so a layout would seem to differ
  // there.
  interlock_layouts_lost(0);
  interlock_marks.hidden++;
  interlock_follow_freed_memory();
  interlock_share_section_lines();
  interlock_share_exchanges();
  return true;
}

void interlock_isolation_end(void) { interlock_marks.hidden--; }

interlock_shared_memory *interlock_share_memory(interlock_shared_memory *last) {
  if (last) munmap(last, sizeof *last);
  void *made = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

#endif
