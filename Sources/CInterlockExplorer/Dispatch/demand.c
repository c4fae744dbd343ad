// Whether the width of a pool can matter. As long as every block, lane and task of an execution could
// have a worker of its own, none ever waits for one, in whatever order the same happens: which block
// comes to the pool before which is no operation then. Once an execution has more, it is, in all
// executions from then on.
#include "../Engine/engine.h"
#include "items.h"

#ifdef INTERLOCK_INTERPOSES

static bool pools_matter, has_barriers, has_serial_jobs;

bool interlock_model_pools_matter(void) { return pools_matter; }
bool interlock_model_has_barriers(void) { return has_barriers; }
bool interlock_model_job_order_matters(void) { return pools_matter || has_serial_jobs; }

/// A search that took it for otherwise has not seen all that it must. The executions that come before
/// it are there to learn such facts.
static void learn(bool *fact) {
  if (*fact) return;
  *fact = true;
  if (!interlock_the_engine.is_warming_up) interlock_the_engine.result->must_begin_anew = true;
}

void interlock_model_forget(void) { pools_matter = has_barriers = has_serial_jobs = false; }

void interlock_model_note_barrier(void) { learn(&has_barriers); }

static void count(model_queue *pool) {
  if (++pool->demand > pool->width) learn(&pools_matter);
}

void interlock_model_demand(model_queue *queue, const void *job) {
  if (queue->kind == QUEUE_SERIAL) {
    if (job) learn(&has_serial_jobs);
    // One worker at a time, however many blocks.
    if (queue->has_demanded) return;
    queue->has_demanded = true;
  } else if (job) {
    // One part of a task at a time, and each is a job at the same address.
    enum { has_demanded = 1 };
    interlock_object *known = interlock_object_at(job);
    if (known->flags & has_demanded) return;
    known->flags |= has_demanded;
  }
  for (model_queue *at = queue; at; at = at->target) {
    if (at->kind == QUEUE_SERIAL && at != queue) {
      // A serial target asks for a worker in its own name.
      interlock_model_demand(at, NULL);
      return;
    }
    if (at->kind == QUEUE_ROOT || at->is_task_pool) count(at);
  }
}

#endif
