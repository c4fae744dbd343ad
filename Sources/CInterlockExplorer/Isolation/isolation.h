/// Executions in child processes: the memory that parent and child share. Included by `Isolation/`,
/// `Execution/` and the tests of what the parent reads.
#ifndef INTERLOCK_ISOLATION_H
#define INTERLOCK_ISOLATION_H

#include "../Engine/engine.h"
#include "strategy_log.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/types.h>

enum {
  /// The largest limit of steps. After the limit, an execution continues for as many steps by a
  /// fair schedule; each step makes at most one choice of a thread and one of a value.
  INTERLOCK_SHARED_STEPS = 1 << 20,
  INTERLOCK_SHARED_TRACE = 2 * INTERLOCK_SHARED_STEPS + 1,
  INTERLOCK_SHARED_CHOICES = 2 * INTERLOCK_SHARED_TRACE,
  INTERLOCK_SHARED_BLOCKED = 1 << 16,
  INTERLOCK_SHARED_REPORT = 1 << 20,
  /// The number of hashes that an estimate needs at most.
  INTERLOCK_SHARED_TRACES = 1 << 20
};

/// The memory that both processes see. Unused pages take address space only.
///
/// The explored body can write here as the child's engine does, so the parent reads it only through
/// `interlock_child_take` and `interlock_strategy_follow`, which check each number.
typedef struct {
  interlock_exploration_result result;
  interlock_result_details details;
  interlock_explore_status status;
  /// The child has ended by itself, and the result is complete.
  volatile bool is_over;
  /// The child reads symbols in the middle of an execution, to name a race.
  volatile bool is_naming;
  /// The child needs a lock that another thread of the parent held at the fork.
  volatile bool must_fork_again;
  /// The counts of the lists below: of the running execution, then of the reported one.
  volatile size_t choice_count, step_count;
  size_t blocked_count, report_size;
  /// The hash of the last execution for an estimate.
  uint64_t trace_order;
  /// The number of hashes that one of several jobs has noted in the words of `log`, which a job
  /// does not use otherwise.
  size_t noted_traces;
  /// Not zeroed between children: each child writes from here on anew.
  uint32_t choices[INTERLOCK_SHARED_CHOICES];
  interlock_exploration_step trace[INTERLOCK_SHARED_TRACE];
  interlock_blocked_thread blocked[INTERLOCK_SHARED_BLOCKED];
  char report[INTERLOCK_SHARED_REPORT];
  interlock_strategy_log log;
} interlock_shared_memory;

/// The parent's copy of a child's result. Each number is in its range, each text is terminated, and
/// no pointer is the child's.
typedef struct {
  interlock_exploration_result result;
  interlock_result_details details;
  interlock_explore_status status;
  bool is_over;
  uint64_t trace_order;
  /// True if the strategy has had the end of the execution.
  bool has_end;
  interlock_execution_end end;
  /// The lists of the result.
  uint32_t *choices;
  interlock_exploration_step *trace;
  interlock_blocked_thread *blocked;
  char *report;
} interlock_child_result;

/// Why a child was killed.
typedef enum {
  INTERLOCK_CHILD_NOT_KILLED = 0,
  INTERLOCK_CHILD_OUT_OF_TIME,
  INTERLOCK_CHILD_CANNOT_GO_ON
} interlock_child_killed;

/// A child that the parent watches (child_watch.c).
typedef struct {
  pid_t child;
  const interlock_shared_memory *shared;
  /// The time limit without progress; and the budget of exploring, 0 for none. Nanoseconds.
  uint64_t limit, budget;
  /// A pidfd of the process, -1 for none; its wait status, once it has ended.
  int descriptor, status;
  bool has_ended;
  interlock_child_killed killed;
  /// The time at which the watch began, and the time of the last look; the time without progress so
  /// far, and its value at the last look at the child's threads; the time that the child has
  /// explored, without the time in which it named a race.
  uint64_t begun, before, still, looked_at, exploring;
  uint64_t seen_executions;
  size_t seen_steps;
  uint32_t seen_stacks;
  bool waited, was_naming;
} interlock_child_watch;

void interlock_child_watch_begin(interlock_child_watch *self, pid_t child,
                                 const interlock_shared_memory *shared, uint64_t limit,
                                 uint64_t budget) HIDDEN;
/// Returns true if the child has ended. Kills the child if it makes no progress for the limit, or
/// continues long after its budget.
bool interlock_child_watch_look(interlock_child_watch *self) HIDDEN;
/// Kills the child unless it has ended.
void interlock_child_watch_end(interlock_child_watch *self) HIDDEN;
/// Waits until a child ends, or until it is time to look at the children again.
void interlock_children_wait(const interlock_child_watch *const *watches, uint32_t count) HIDDEN;

/// A child process that explores.
typedef struct {
  interlock_child_watch watch;
  interlock_shared_memory *shared;
  /// An eventfd that counts the child's executions; -1 for none.
  int counter;
} interlock_child;

/// Forks a child that explores; returns false if none could be made. Unless `is_last`, the child
/// ends if it needs a lock that another thread of this process held at the fork.
bool interlock_child_start(interlock_child *self, interlock_shared_memory *shared, bool is_last,
                           const interlock_exploration_options *options, bool (*body)(void *),
                           void *context, interlock_strategy *strategy) HIDDEN;
/// Takes the result of a child that has ended. Returns false if the child came to a lock that
/// another thread of this process held at the fork: the copy of the lock is never released.
bool interlock_child_finish(interlock_child *self, bool is_last,
                            const interlock_exploration_options *options,
                            interlock_child_result *taken,
                            interlock_explore_status *status) HIDDEN;

/// Adds the result of a child: counts are summed over all, the rest is the last child's. `escaped`
/// has room for the escaped operations of all children.
void interlock_result_add(interlock_exploration_result *all,
                          const interlock_exploration_result *one,
                          interlock_escaped_operation *escaped) HIDDEN;

/// Called before the first child of an exploration is forked. Returns false if the caller is
/// explored itself.
bool interlock_isolation_begin(void) HIDDEN;
void interlock_isolation_end(void) HIDDEN;
/// Returns new memory that parent and child share, in place of `last`; NULL if there is none.
interlock_shared_memory *interlock_share_memory(interlock_shared_memory *last) HIDDEN;

/// Copies the result of a child (child_result.c). If the child is over and any of it cannot be what
/// the engine writes, the result becomes a crash that says so. `counted` is the parent's own count
/// of the executions; NULL for none. Frees what `child` held before.
void interlock_child_take(const interlock_shared_memory *shared,
                          const interlock_exploration_options *options, const uint64_t *counted,
                          interlock_child_result *child) HIDDEN;
void interlock_child_clear(interlock_child_result *child) HIDDEN;

/// Explores in one child. Forks again if the child needs a lock that was held at the fork.
interlock_explore_status interlock_explore_forked(interlock_shared_memory *shared,
                                                  const interlock_exploration_options *options,
                                                  bool (*body)(void *), void *context,
                                                  interlock_strategy *strategy,
                                                  interlock_child_result *child) HIDDEN;

#endif
#endif
