// Decides whether the width of a pool can matter. While every block, lane and task of an execution
// could have a worker of its own, no order makes one of them wait, and adding a block to a pool is
// no operation. Once an execution needs more workers than a pool has, adding a block is an
// operation in all later executions.
#include "items.h"

#ifdef INTERLOCK_INTERPOSES

bool interlock_model_pools_matter(void) { return interlock_is_known(INTERLOCK_FACT_POOLS); }
bool interlock_model_has_barriers(void) { return interlock_is_known(INTERLOCK_FACT_BARRIERS); }
bool interlock_model_job_order_matters(void) {
  return interlock_is_known(INTERLOCK_FACT_POOLS) || interlock_is_known(INTERLOCK_FACT_SERIAL_JOBS);
}

bool interlock_model_order_matters(const model_queue *queue) {
  // One barrier on any concurrent queue makes the order matter on all of them: most programs have
  // none.
  if (queue->kind == QUEUE_CONCURRENT) return interlock_model_has_barriers();
  return queue->kind == QUEUE_SERIAL;
}

bool interlock_model_is_nested(const model_queue *queue) {
  for (queue = queue->target; queue; queue = queue->target) {
    if (interlock_model_order_matters(queue)) return true;
  }
  return false;
}

void interlock_model_note_barrier(void) { interlock_learn(INTERLOCK_FACT_BARRIERS); }

static void count(model_queue *pool) {
  if (++pool->demand > pool->width) interlock_learn(INTERLOCK_FACT_POOLS);
  if (pool->is_task_pool) interlock_note_task_threads(pool->demand);
  // A width of 1 is the main queue's thread, which is no pool.
  if (!pool->is_task_pool && pool->width > 1 && pool->demand >= pool->width) {
    interlock_note_full_pool();
  }
}

void interlock_model_demand(model_queue *queue, bool is_job, interlock_object *task) {
  if (queue->kind == QUEUE_SERIAL) {
    if (is_job) interlock_learn(INTERLOCK_FACT_SERIAL_JOBS);
    // A serial queue needs one worker at a time, however many blocks it has.
    if (queue->has_demanded) return;
    queue->has_demanded = true;
  } else if (task) {
    // A task has one part at a time, and each part is a job at the same address.
    enum { has_demanded = 1 };
    if (task->flags & has_demanded) return;
    task->flags |= has_demanded;
  }
  for (model_queue *at = queue; at; at = at->target) {
    if (at->kind == QUEUE_SERIAL && at != queue) {
      // A serial target asks for one worker for all queues that target it.
      interlock_model_demand(at, false, NULL);
      return;
    }
    if (at->kind == QUEUE_ROOT || at->is_task_pool) count(at);
  }
}

#endif
