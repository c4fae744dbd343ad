// Jobs of tasks and actors: each is a part of a task, which begins after the part before.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_model_job_found(model_item *item) {
  const char *job = item->request.job;
  item->task = job;
  if ((*(const uint32_t *)(job + at_kind) & kind_mask) == 0) {
    // Whether an address is used again is malloc's affair: the number may not depend on it.
    bool is_first = item->request.flags & INTERLOCK_FLAG_FIRST_JOB;
    if (is_first) interlock_object_anew(job)->flags = is_new | is_own;
    return;
  }
  item->needs_no_worker = true;
  uintptr_t actor, task = interlock_running_task(&actor);
  const uintptr_t *words = (const uintptr_t *)(job + at_end_of_head);
  // The kind alone may be another's in another runtime; in an actor's job the words are the
  // actor's.
  bool has_kind = (*(const uint32_t *)(job + at_kind) & kind_mask) == resuming_kind;
  if (!task || !has_kind || (words[0] != task && words[1] != task)) return;
  item->task = (const void *)task;
  item->only_resumes = true;
}

interlock_object *interlock_model_own_task(const void *task) {
  interlock_object *known = interlock_object_known(task);
  return known && (known->flags & (is_new | is_own)) ? known : NULL;
}

void interlock_model_job_enqueued(model_item *item) {
  // Whether an address has been another object's before is malloc's affair. An object has the
  // number that its making gave it; a job of an actor, or of a task that the runtime makes for
  // itself (the end of a sleep), has one part, and a number of its own.
  bool is_of_task = !item->needs_no_worker || item->only_resumes;
  const interlock_object *task = is_of_task ? interlock_model_own_task(item->task) : NULL;
  item->number = task ? task->number : interlock_object_number();
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->number, 0));
}

void interlock_model_job_begins(const model_item *item) {
  interlock_model_thread()->actor = 0;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_WAIT, item->number, 0));
}

void interlock_model_job_ends(const model_item *item) {
  // By now the actor has been given up.
  uint32_t actor = interlock_model_thread()->actor;
  if (actor) interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, actor, 0));
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->number, 0));
}

#endif
