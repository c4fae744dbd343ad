// Exploration in a child process, with what it does in shared memory: the end of the child is a
// finding.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENGINE interlock_the_engine

enum { most_steps = 1 << 20, most_blocked = 1 << 16 };

/// What both processes see. Of the address space only: pages that are not used take no memory.
typedef struct {
  interlock_exploration_result result;
  interlock_explore_status status;
  /// The child has ended by itself, and the result is whole.
  volatile bool is_over;
  /// Of the running execution, and of the one that is reported.
  volatile size_t choice_count, step_count;
  uint32_t choices[2 * most_steps], kept_choices[2 * most_steps];
  interlock_exploration_step trace[most_steps + 1], kept_trace[most_steps + 1];
  interlock_blocked_thread kept_blocked[most_blocked];
} shared_memory;

static void run_child(shared_memory *shared, const interlock_exploration_options *options,
                      bool (*body)(void *), void *context, interlock_strategy *strategy) {
  interlock_stacks_forget();
  // The lists as they were are the parent's. Each step makes at most one choice of a thread and
  // seldom one of a value: with the limit of steps, the room is enough.
  ENGINE.choices.items = shared->choices;
  ENGINE.choices.room = sizeof shared->choices / sizeof *shared->choices;
  ENGINE.trace.items = shared->trace;
  ENGINE.trace.room = sizeof shared->trace / sizeof *shared->trace;
  ENGINE.shown_choices = &shared->choice_count;
  ENGINE.shown_steps = &shared->step_count;
  interlock_exploration_options limited = *options;
  if (limited.steps == 0 || limited.steps > most_steps) limited.steps = most_steps;
  interlock_exploration_result *result = &shared->result;
  shared->status = interlock_explore(&limited, body, context, strategy, result);
  memcpy(shared->kept_choices, result->choices_made,
         result->choice_count * sizeof *result->choices_made);
  memcpy(shared->kept_trace, result->trace, result->trace_count * sizeof *result->trace);
  if (result->blocked_count > most_blocked) result->blocked_count = most_blocked;
  memcpy(shared->kept_blocked, result->blocked, result->blocked_count * sizeof *result->blocked);
  shared->is_over = true;
  fflush(NULL);
  _exit(0);
}

/// Waits for the child's end; kills it where nothing moves for long. Returns its wait status.
static int wait_for(pid_t child, const shared_memory *shared, uint64_t limit, bool *was_killed) {
  const struct timespec pause = {0, 500000};
  uint64_t seen_executions = 0, seen_since = interlock_real_now();
  size_t seen_steps = 0;
  int status = 0;
  for (;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    uint64_t executions = *(volatile const uint64_t *)&shared->result.executions;
    size_t steps = shared->step_count;
    if (executions != seen_executions || steps != seen_steps) {
      seen_executions = executions;
      seen_steps = steps;
      seen_since = interlock_real_now();
    } else if (interlock_real_now() - seen_since > limit && !*was_killed) {
      *was_killed = true;
      kill(child, SIGKILL);
    }
    nanosleep(&pause, NULL);
  }
}

/// What the child's end was, which no code of the child's could say any more.
static void report_end(shared_memory *shared, int status, bool was_killed) {
  interlock_exploration_result *result = &shared->result;
  size_t size = sizeof result->text;
  result->executions++;
  result->failures++;
  result->failed_at = result->executions;
  result->verdict = INTERLOCK_EXPLORED_CRASHED;
  result->is_complete = false;
  if (was_killed) {
    result->verdict = INTERLOCK_EXPLORED_TIMED_OUT;
    snprintf(result->text, size, "an execution did not end, nor reach a point, in its time");
  } else if (WIFSIGNALED(status)) {
    result->signal = WTERMSIG(status);
    snprintf(result->text, size, "the process was ended by signal %d", result->signal);
  } else {
    snprintf(result->text, size, "the process ended with code %d", WEXITSTATUS(status));
  }
  result->choice_count = shared->choice_count;
  result->trace_count = shared->step_count;
  result->blocked_count = 0;
  memcpy(shared->kept_choices, shared->choices, result->choice_count * sizeof *shared->choices);
  memcpy(shared->kept_trace, shared->trace, result->trace_count * sizeof *shared->trace);
}

interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result) {
  // The choices and the trace of the last result lie here.
  static shared_memory *last;
  memset(result, 0, sizeof *result);
  if (interlock_is_explored()) return INTERLOCK_EXPLORE_NESTED;
  interlock_marks.hidden++;
  shared_memory *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  interlock_explore_status status = INTERLOCK_EXPLORE_NO_MEMORY;
  if (shared != MAP_FAILED) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      interlock_marks.hidden--;
      run_child(shared, options, body, context, strategy);
    }
    status = INTERLOCK_EXPLORE_NO_CHILD;
    if (child > 0) {
      bool was_killed = false;
      uint64_t of_one = options->execution_time ? options->execution_time : 10000000000;
      int end = wait_for(child, shared, 2 * of_one + 2000000000, &was_killed);
      status = shared->is_over ? shared->status : INTERLOCK_EXPLORE_RAN;
      if (!shared->is_over) report_end(shared, end, was_killed);
      *result = shared->result;
      result->choices_made = shared->kept_choices;
      result->trace = shared->kept_trace;
      result->blocked = shared->kept_blocked;
    }
    if (last) munmap(last, sizeof *last);
    last = shared;
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
