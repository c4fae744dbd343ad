// The sum of the results of several child processes.
#include "isolation.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_result_add(interlock_exploration_result *all,
                          const interlock_exploration_result *one,
                          interlock_escaped_operation *escaped) {
  interlock_exploration_result sum = *one;
  sum.executions += all->executions;
  sum.failures += all->failures;
  sum.failed_at = one->failures ? sum.executions : 0;
  sum.cut += all->cut;
  sum.steps += all->steps;
  sum.looks += all->looks;
  sum.switches += all->switches;
  sum.choices += all->choices;
  sum.left_behind += all->left_behind;
  sum.facts |= all->facts;
  sum.bounds_sleeps |= all->bounds_sleeps;
  sum.bounds_yields |= all->bounds_yields;
  sum.uses_time |= all->uses_time;
  sum.bounds_loops |= all->bounds_loops;
  sum.bounds_wake_ups |= all->bounds_wake_ups;
  sum.bounds_exchanges |= all->bounds_exchanges;
  sum.has_unread_exchanges |= all->has_unread_exchanges;
  sum.strengthens_atomics |= all->strengthens_atomics;
  sum.bounds_waiters |= all->bounds_waiters;
  sum.tasks_block |= all->tasks_block;
  sum.blocks_fill_pool |= all->blocks_fill_pool;
  sum.failed_first |= all->failed_first;
  if (sum.most_task_threads < all->most_task_threads) {
    sum.most_task_threads = all->most_task_threads;
  }
  if (sum.most_stacks < all->most_stacks) sum.most_stacks = all->most_stacks;
  sum.escaped = escaped;
  sum.escaped_count = all->escaped_count;
  for (uint32_t index = 0; index < one->escaped_count; index++) {
    interlock_result_add_escaped(&sum, escaped, one->escaped[index].name);
  }
  *all = sum;
}

#endif
