// The jobs of tasks and actors. A job runs one part of a task, which begins after the part before.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

uint32_t interlock_model_sleeper(void) {
  uintptr_t actor, task = interlock_running_task(&actor);
  return task ? interlock_task_at(task)->cancelled_as->number : 0;
}

void interlock_model_sleep_ends(uint32_t sleeper) {
  // The end of the sleep and a cancellation race: the first of the two decides what the sleep
  // returns.
  if (!sleeper) return;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_TEST_CANCEL, sleeper, 0));
}

void interlock_model_job_found(model_item *item) {
  const char *job = item->request.job;
  item->task = job;
  uintptr_t actor, task = interlock_running_task(&actor);
  if (item->request.flags & INTERLOCK_FLAG_DELAYED) item->ends_sleep_of = interlock_model_sleeper();
  if ((*(const uint32_t *)(job + at_kind) & kind_mask) == 0) {
    // A new number for a first job: malloc decides whether its address is used again, and the
    // number must not depend on that.
    bool is_first = item->request.flags & INTERLOCK_FLAG_FIRST_JOB;
    if (is_first) interlock_object_anew(job)->flags = is_new | is_own;
    // A user's executor may hand this job over once more.
    if (item->request.flags & INTERLOCK_FLAG_DELAYED) interlock_note_end_of_sleep((uintptr_t)job);
    return;
  }
  item->needs_no_worker = true;
  if (interlock_is_job_of_actor(job)) interlock_learn(INTERLOCK_FACT_ACTOR_JOBS);
  const uintptr_t *words = (const uintptr_t *)(job + at_end_of_head);
  // Check the words too: in another runtime the same kind may be another job's, and in an actor's
  // job the words belong to the actor.
  bool has_kind = (*(const uint32_t *)(job + at_kind) & kind_mask) == resuming_kind;
  if (!task || !has_kind || (words[0] != task && words[1] != task)) return;
  item->task = (const void *)task;
  item->only_resumes = true;
}

void interlock_model_task_yields(const void *task, interlock_logical_thread *thread) {
  interlock_yield_begins(thread, &interlock_task_at((uintptr_t)task)->waits);
}

bool interlock_is_job_of_actor(const char *job) {
  uint32_t kind = *(const uint32_t *)(job + at_kind) & kind_mask;
  return kind != 0 && kind != resuming_kind;
}

interlock_object *interlock_model_own_task(const void *task) {
  interlock_object *known = interlock_object_known(task);
  return known && (known->flags & (is_new | is_own)) ? known : NULL;
}

void interlock_model_job_enqueued(model_item *item) {
  // malloc decides whether an address has been another object's before, so the number does not come
  // from the address. A task's parts share one number, taken at the first job. The job of an actor,
  // or of a task that the runtime makes for itself (the end of a sleep), has one part and a new
  // number.
  bool is_of_task = !item->needs_no_worker || item->only_resumes;
  bool is_own_task = is_of_task && interlock_model_own_task(item->task);
  model_task *task = is_own_task ? interlock_task_at((uintptr_t)item->task) : NULL;
  if (task && !task->parts) task->parts = interlock_object_number();
  item->number = task ? task->parts : interlock_object_number();
  bool is_runtimes = !is_of_task || item->ends_sleep_of;
  item->task_number = task ? task->object->number : is_runtimes ? 0 : item->number;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->number, 0));
}

void interlock_model_actor_given_up(void) {
  model_thread *thread = interlock_model_thread();
  if (thread->turn) {
    interlock_actor_left(thread);
  } else if (thread->actor) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, thread->actor, 0));
  }
}

void interlock_model_job_begins(const model_item *item) {
  interlock_model_thread()->actor = 0;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_WAIT, item->number, 0));
  interlock_model_sleep_ends(item->ends_sleep_of);
}

void interlock_model_job_ends(const model_item *item) {
  interlock_model_actor_given_up();
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->number, 0));
}

#endif
