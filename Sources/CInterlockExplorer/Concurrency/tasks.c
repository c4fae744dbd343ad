// What tasks order, and where they stop.
//
// Each part of a task is a thread of the exploration: the step that hands its job over makes it,
// and it comes after the part before. What tasks share inside the runtime (an actor's queue, a
// group's results, a stream's buffer) is like a variable that every call on it reads and writes:
// which of two calls comes first decides what the runtime does next.
#include "tasks.h"

#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

static const char shared_actor[] = "an actor that tasks outside the body use";

/// The tasks that have switched to an actor.
static interlock_object *switching;

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

static void made(uintptr_t task, uintptr_t parent) {
  interlock_object *known = interlock_object_at((const void *)task);
  // The first job of a task is enqueued before this, unless the task waits for an actor.
  if (!(known->flags & is_new)) known = interlock_object_anew((const void *)task);
  known->flags = (known->flags & ~(uint32_t)is_new) | is_own;
  known->owner = parent ? (void *)cancellation_of(parent) : NULL;
  known->value = (int64_t)parent;
  interlock_object_anew(group_of(task));
}

/// The body has bound a task-local value of its own.
static bool binds_locals;

static void bound_local(void) { binds_locals = true; }

/// A task that inherits no values gets those of the surroundings all the same, unless it would get
/// values of the body's too.
static bool gives_surroundings(void) {
  return interlock_exploration_asked()->around && !binds_locals;
}

void interlock_tasks_reset(void) {
  binds_locals = false;
  switching = NULL;
}

/// Records the actor to which a task switches; 0 once the task has gone on.
static void note_switch(uintptr_t task, uintptr_t actor) {
  interlock_object *known = interlock_object_at((const void *)task);
  known->state = actor ? interlock_object_at((const void *)actor) : NULL;
  if (!actor || (known->flags & is_listed)) return;
  known->flags |= is_listed;
  known->first = switching;
  switching = known;
}

/// True if an explored thread is on the actor, or on one that it has not named yet.
static bool has_explored_thread(const interlock_object *actor) {
  const interlock_engine *engine = &interlock_the_engine;
  for (size_t index = 0; index < engine->live.count; index++) {
    const model_thread *thread = engine->live.items[index]->model;
    if (!thread) continue;
    const model_item *job = thread->running;
    bool is_on_some_actor = thread->actor == 0 && job && job->needs_no_worker && !job->only_resumes;
    if (thread->actor == actor->number || is_on_some_actor) return true;
  }
  return false;
}

bool interlock_tasks_left(void) {
  const char *label;
  // The actor's job may wait for a worker.
  if (interlock_model_dry_pool(&label)) return false;
  const interlock_object *task = switching;
  while (task && (!task->state || has_explored_thread(task->state))) task = task->first;
  if (task) interlock_escaped(shared_actor);
  return task != NULL;
}

static void actor_made(uintptr_t actor) {
  interlock_object_anew((const void *)actor)->flags = is_own;
}

static bool is_own_at(uintptr_t address) {
  const interlock_object *known = interlock_object_known((const void *)address);
  return known && (known->flags & is_own);
}

/// A job that an explored thread submits, as it resumes a task that was made elsewhere: the task
/// runs on the real pool. The job of an actor is a part of the actor, or names it.
static bool is_outside(uintptr_t job, bool is_first) {
  enum { actor_size = 128 };
  uint32_t kind = *(const uint32_t *)(job + at_kind) & kind_mask;
  if (is_first || kind == resuming_kind) return false;
  if (kind == 0) return !is_own_at(job);
  for (uintptr_t offset = 0; offset < actor_size; offset += sizeof(uintptr_t)) {
    if (is_own_at(job - offset)) return false;
  }
  return !is_own_at(*(const uintptr_t *)(job + at_end_of_head));
}

static interlock_operation operation_of(interlock_task_call call, uintptr_t object, uintptr_t task,
                                        uintptr_t actor) {
  switch (call) {
    case INTERLOCK_TASK_CALL_SWITCH:
      if (object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, (const void *)object);
      break;
    case INTERLOCK_TASK_CALL_AWAIT:
      if (!object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, &continuations);
      // A task that awaits too early gives up its actor or its worker, which other tasks can
      // observe. Else the step is the same as a wait for the end.
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
      if (!object) object = task;
      if (object) return cancellation(INTERLOCK_OPERATION_TEST_CANCEL, object);
      break;
    case INTERLOCK_TASK_CALL_COMPLETE:
      return operation_on(INTERLOCK_OPERATION_COMPLETE, (const void *)object);
    case INTERLOCK_TASK_CALL_YIELD:
    case INTERLOCK_TASK_CALL_RETURN:
    case INTERLOCK_TASK_CALL_MAKE: break;
  }
  return interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0);
}

/// The call as the user writes it.
static const char *name_of(interlock_task_call call, uintptr_t object) {
  switch (call) {
    case INTERLOCK_TASK_CALL_SWITCH: return object ? "to actor" : "leave actor";
    case INTERLOCK_TASK_CALL_AWAIT: return "await task";
    case INTERLOCK_TASK_CALL_AWAIT_GROUP: return "await group";
    case INTERLOCK_TASK_CALL_AWAIT_STREAM: return "await stream";
    case INTERLOCK_TASK_CALL_AWAIT_CONTINUATION: return "await continuation";
    case INTERLOCK_TASK_CALL_YIELD: return "Task.yield";
    case INTERLOCK_TASK_CALL_PAUSE: return "await";
    case INTERLOCK_TASK_CALL_RESUME: return "resume continuation";
    case INTERLOCK_TASK_CALL_FEED: return "feed stream";
    case INTERLOCK_TASK_CALL_CANCEL: return "cancel";
    case INTERLOCK_TASK_CALL_TEST_CANCEL: return "test cancellation";
    case INTERLOCK_TASK_CALL_COMPLETE: return "end task";
    case INTERLOCK_TASK_CALL_MAKE: return "make task";
    case INTERLOCK_TASK_CALL_RETURN: return "return";
  }
  return NULL;
}

static void ask(interlock_task_call call, uintptr_t object, uintptr_t task, uintptr_t actor,
                interlock_site site) {
  if (call == INTERLOCK_TASK_CALL_RETURN) {
    // A cancellation before this step calls the handler, and a later one does not.
    if (task) interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
    return;
  }
  model_thread *thread = interlock_model_thread();
  if (task) note_switch(task, call == INTERLOCK_TASK_CALL_SWITCH ? object : 0);
  // The runtime lets a thread that leaves an actor run the tasks that wait for it.
  if (task && !is_own_at(task)) interlock_escaped(shared_actor);
  // A job that is handed over to a pool with room for all is no different before or after another.
  bool only_enqueues = call == INTERLOCK_TASK_CALL_MAKE || call == INTERLOCK_TASK_CALL_YIELD;
  if (!only_enqueues || interlock_model_job_order_matters()) {
    interlock_name_call(name_of(call, object));
    interlock_point(operation_of(call, object, task, actor), NULL, NULL, site.place);
  }
  uintptr_t next = call == INTERLOCK_TASK_CALL_SWITCH && object ? object : actor;
  interlock_object *next_actor = next ? interlock_object_at((const void *)next) : NULL;
  if (next_actor) next_actor->flags |= is_own;
  thread->actor = next_actor ? next_actor->number : 0;
  bool may_leave = call != INTERLOCK_TASK_CALL_TEST_CANCEL && call != INTERLOCK_TASK_CALL_MAKE;
  if (actor && actor != object && may_leave) did_use((const void *)actor);
  if (call == INTERLOCK_TASK_CALL_COMPLETE) {
    interlock_object *known = interlock_object_at((const void *)object);
    interlock_did(operation_on(INTERLOCK_OPERATION_WRITE, (const void *)object));
    known->flags &= ~(uint32_t)is_own;
    uintptr_t parent = (uintptr_t)known->value;
    if (parent) did_use(group_of(parent));
  }
  // A task that waits may be woken by a cancellation.
  bool waits = call == INTERLOCK_TASK_CALL_AWAIT_STREAM ||
      call == INTERLOCK_TASK_CALL_AWAIT_CONTINUATION ||
               call == INTERLOCK_TASK_CALL_AWAIT_GROUP;
  if (waits && task) interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
}

/// A task that is on no actor gives up only its thread. Every task that waits for a thread has a
/// free one, so it makes no difference on which thread this task continues.
static bool yields(uintptr_t task, uintptr_t actor, interlock_site site) {
  (void)task;
  if (actor || interlock_model_job_order_matters()) return false;
  interlock_name_call("Task.yield");
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, site.place);
  return true;
}

// The executor's own calls, which are explored, order its jobs. What a task gives up when it waits
// or yields is the executor, and other jobs can observe that, as with a serial queue.
static uint32_t part_begins(uintptr_t job, bool is_on_executor, bool is_first) {
  model_thread *thread = interlock_model_thread();
  uint32_t outer = thread->actor;
  thread->actor = 0;
  if (is_on_executor) {
    interlock_learn(INTERLOCK_FACT_SERIAL_JOBS);
    if (is_outside(job, is_first)) {
      interlock_escaped("a task that the body did not make, on a custom executor");
    }
  }
  return outer;
}

static void part_ends(uint32_t outer) {
  model_thread *thread = interlock_model_thread();
  if (thread->actor) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, thread->actor, 0));
  }
  thread->actor = outer;
}

const interlock_task_performer interlock_task_model =
    {.ask = ask, .yields = yields, .actor_made = actor_made, .made = made,
     .is_outside = is_outside, .part_begins = part_begins, .part_ends = part_ends,
     .bound_local = bound_local, .gives_surroundings = gives_surroundings};

#endif
