// The tasks and actors that an execution has made.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

const char interlock_shared_actor[] = "an actor that tasks outside the body use";

/// The tasks that have switched to an actor, linked by `switched_before`.
static model_task *switching;

bool interlock_has_unseen_end;

/// The tasks that the runtime makes for the ends of sleeps; no call of the body makes them.
typedef struct sleep_end {
  struct sleep_end *before;
  uintptr_t task;
} sleep_end;
static sleep_end *sleep_ends;

void interlock_note_end_of_sleep(uintptr_t task) {
  sleep_end *made = interlock_execution_memory(sizeof *made);
  *made = (sleep_end){sleep_ends, task};
  sleep_ends = made;
}

static bool ends_sleep(uintptr_t task) {
  const sleep_end *end = sleep_ends;
  while (end && end->task != task) end = end->before;
  return end != NULL;
}

model_task *interlock_task_at(uintptr_t task) {
  interlock_object *known = interlock_object_at((const void *)task);
  if (!known->state) {
    model_task *made = known->state = interlock_execution_memory(sizeof *made);
    made->object = known;
    made->cancelled_as = known;
  }
  return known->state;
}

void interlock_task_made(interlock_made_task made) {
  const void *address = (const void *)made.task;
  // The first job was enqueued before this call and has made the object anew, unless the task waits
  // for an actor.
  interlock_object *known = interlock_object_at(address);
  if (!(known->flags & is_new)) known = interlock_object_anew(address);
  known->flags = (known->flags & ~(uint32_t)is_new) | is_own;
  model_task *task = interlock_task_at(made.task);
  if (made.parent) task->cancelled_as = interlock_task_at(made.parent)->cancelled_as;
  if (made.group) task->group = interlock_group_gains(made.group, made.has_destructor);
  task->is_discarding = made.is_discarding;
  if (!made.has_end) interlock_has_unseen_end = true;
}

interlock_making *interlock_makings;

void interlock_known_tasks_reset(void) {
  interlock_has_unseen_end = false;
  interlock_makings = NULL;
  switching = NULL;
  sleep_ends = NULL;
}

void interlock_task_switches(uintptr_t address, uintptr_t actor) {
  model_task *task = interlock_task_at(address);
  task->to = actor ? interlock_object_at((const void *)actor) : NULL;
  if (!actor || task->is_listed) return;
  task->is_listed = true;
  task->switched_before = switching;
  switching = task;
}

/// True if an explored thread is on the actor, or runs an actor's job and has not shown yet on
/// which actor.
static bool has_explored_thread(const interlock_object *actor) {
  INTERLOCK_EACH_LIVE(logical) {
    const model_thread *thread = logical->model;
    if (!thread) continue;
    const model_item *job = thread->running;
    bool is_on_some_actor = thread->actor == 0 && job && job->needs_no_worker && !job->only_resumes;
    if (thread->actor == actor->number || is_on_some_actor) return true;
  }
  return false;
}

bool interlock_tasks_left(void) {
  const char *label;
  // With a dry pool, the actor's job may wait for a worker.
  if (interlock_model_dry_pool(&label)) return false;
  const model_task *task = switching;
  while (task && (!task->to || has_explored_thread(task->to))) task = task->switched_before;
  if (task) interlock_escaped(interlock_shared_actor);
  return task != NULL;
}

bool interlock_is_own_at(uintptr_t address) {
  const interlock_object *known = interlock_object_known((const void *)address);
  return known && (known->flags & is_own);
}

bool interlock_job_is_outside(uintptr_t job, bool is_first) {
  enum { actor_size = 128 };
  uint32_t kind = *(const uint32_t *)(job + at_kind) & kind_mask;
  if (is_first || kind == resuming_kind) return false;
  if (kind == 0) return !interlock_is_own_at(job) && !ends_sleep(job);
  for (uintptr_t offset = 0; offset < actor_size; offset += sizeof(uintptr_t)) {
    if (interlock_is_own_at(job - offset)) return false;
  }
  return !interlock_is_own_at(*(const uintptr_t *)(job + at_end_of_head));
}

#endif
