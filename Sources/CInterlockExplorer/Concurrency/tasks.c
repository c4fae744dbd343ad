// What tasks order, and where they stop.
//
// Each part of a task is a thread of the exploration: the step that hands its job over makes it,
// and it comes after the part before. What tasks share inside the runtime (an actor's queue, a
// group's results, a stream's buffer) is like a variable that every call on it reads and writes:
// which of two calls comes first decides what the runtime does next.
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

/// Of a task's object: it is of a task that the execution has seen made; `owner` is the object of
/// the outermost task that it is a child of, where a cancellation may come from; `value` is its
/// parent. It has ended: the next task at that address is another.
enum { is_seen = 1 << 4, is_over = 1 << 5 };

/// Beside the task itself, what its groups share, by an address that nothing else has.
static const void *group_of(uintptr_t parent) { return (const void *)(parent + 1); }
/// What all streams share, and all continuations of which the runtime keeps the task to itself.
static const char streams, continuations;

static interlock_operation operation_on(interlock_operation_kind kind, const void *address) {
  return interlock_operation_of(kind, interlock_object_at(address)->number, 0);
}

static void did_use(const void *address) {
  interlock_did(operation_on(INTERLOCK_OPERATION_READ_WRITE, address));
}

static const interlock_object *cancellation_of(uintptr_t task) {
  interlock_object *known = interlock_object_at((const void *)task);
  return known->owner ? known->owner : known;
}

static interlock_operation cancellation(interlock_operation_kind kind, uintptr_t task) {
  return interlock_operation_of(kind, cancellation_of(task)->number, 0);
}

// Jobs.

/// The runtime's job: its kind, 0 for a task; and what follows its head, of a job that only resumes
/// a task that task among it.
enum { at_kind = 32, kind_mask = 0xff, at_end_of_head = 64 };

void interlock_model_job_found(model_item *item) {
  const char *job = item->request.job;
  item->task = job;
  if ((*(const uint32_t *)(job + at_kind) & kind_mask) == 0) {
    // Whether an address is used again is malloc's affair: the number may not depend on it.
    if (interlock_object_at(job)->flags & is_over) interlock_object_anew(job);
    return;
  }
  item->needs_no_worker = true;
  uintptr_t actor, task = interlock_running_task(&actor);
  const uintptr_t *words = (const uintptr_t *)(job + at_end_of_head);
  if (!task || (words[0] != task && words[1] != task)) return;
  item->task = (const void *)task;
  item->only_resumes = true;
}

void interlock_model_job_enqueued(const model_item *item) {
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->task));
}

void interlock_model_job_begins(const model_item *item) {
  interlock_model_thread()->actor = 0;
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_WAIT, item->task));
}

void interlock_model_job_ends(const model_item *item) {
  // By now the actor has been given up.
  uintptr_t actor = interlock_model_thread()->actor;
  if (actor) did_use((const void *)actor);
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_RESUME, item->task));
}

// Tasks.

static void made(uintptr_t task, uintptr_t parent) {
  interlock_object *known = interlock_object_at((const void *)task);
  // The first job of a task is enqueued before its address is known here.
  if (known->flags & is_seen) known = interlock_object_anew((const void *)task);
  known->flags |= is_seen;
  known->owner = parent ? (void *)cancellation_of(parent) : NULL;
  known->value = (int64_t)parent;
}

static interlock_operation operation_of(interlock_task_call call, uintptr_t object, uintptr_t task,
                                        uintptr_t actor) {
  switch (call) {
    case INTERLOCK_TASK_CALL_SWITCH:
      if (object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, (const void *)object);
      break;
    case INTERLOCK_TASK_CALL_AWAIT:
      if (!object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, &continuations);
      // A task that comes too early gives its actor up, or its worker, which others can tell. Else
      // it is as if it waited for the end.
      return operation_on(actor || interlock_model_job_order_matters() ? INTERLOCK_OPERATION_READ
                                                                       : INTERLOCK_OPERATION_AWAIT,
                          (const void *)object);
    case INTERLOCK_TASK_CALL_AWAIT_GROUP:
      return operation_on(INTERLOCK_OPERATION_READ_WRITE, group_of(task));
    case INTERLOCK_TASK_CALL_AWAIT_STREAM:
    case INTERLOCK_TASK_CALL_FEED:
      return operation_on(INTERLOCK_OPERATION_READ_WRITE, &streams);
    case INTERLOCK_TASK_CALL_AWAIT_CONTINUATION:
    case INTERLOCK_TASK_CALL_RESUME:
      return operation_on(INTERLOCK_OPERATION_READ_WRITE, &continuations);
    case INTERLOCK_TASK_CALL_PAUSE:
      if (task) return cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task);
      break;
    case INTERLOCK_TASK_CALL_CANCEL:
      if (object || task) return cancellation(INTERLOCK_OPERATION_CANCEL, object ? object : task);
      break;
    case INTERLOCK_TASK_CALL_TEST_CANCEL:
      if (object || task)
        return cancellation(INTERLOCK_OPERATION_TEST_CANCEL, object ? object : task);
      break;
    case INTERLOCK_TASK_CALL_COMPLETE:
      return operation_on(INTERLOCK_OPERATION_COMPLETE, (const void *)object);
    case INTERLOCK_TASK_CALL_YIELD:
    case INTERLOCK_TASK_CALL_MAKE: break;
  }
  return interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0);
}

static void ask(interlock_task_call call, uintptr_t object, uintptr_t task, uintptr_t actor,
                interlock_site site) {
  model_thread *thread = interlock_model_thread();
  // A job that is handed over to a pool with room for all is no different before or after another.
  bool only_enqueues = call == INTERLOCK_TASK_CALL_MAKE || call == INTERLOCK_TASK_CALL_YIELD;
  if (!only_enqueues || interlock_model_job_order_matters()) {
    interlock_point(operation_of(call, object, task, actor), NULL, NULL, site.place);
  }
  thread->actor = call == INTERLOCK_TASK_CALL_SWITCH && object ? object : actor;
  bool may_leave = call != INTERLOCK_TASK_CALL_TEST_CANCEL && call != INTERLOCK_TASK_CALL_MAKE;
  if (actor && actor != object && may_leave) did_use((const void *)actor);
  if (call == INTERLOCK_TASK_CALL_COMPLETE) {
    interlock_object *known = interlock_object_at((const void *)object);
    known->flags |= is_over;
    interlock_did(operation_on(INTERLOCK_OPERATION_WRITE, (const void *)object));
    uintptr_t parent = (uintptr_t)known->value;
    if (parent) did_use(group_of(parent));
  }
  // A task that waits may be woken by a cancellation.
  bool waits = call == INTERLOCK_TASK_CALL_AWAIT_STREAM ||
               call == INTERLOCK_TASK_CALL_AWAIT_CONTINUATION ||
               call == INTERLOCK_TASK_CALL_AWAIT_GROUP;
  if (waits && task) interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
}

/// A task that is on no actor gives up nothing but its thread. Of that another is free for all that
/// wait for one, so it makes no difference whether it comes back on the same.
static bool yields(uintptr_t task, uintptr_t actor, interlock_site site) {
  (void)task;
  if (actor || interlock_model_job_order_matters()) return false;
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, site.place);
  return true;
}

const interlock_task_performer interlock_task_model = {.ask = ask, .yields = yields, .made = made};

#endif
