// The calls of tasks: which operation each call is, and where a task stops.
//
// A task is one thread of the exploration, which blocks where the task waits. The runtime suspends
// the task only where other code can observe that the waiting task gives something up. Then each
// part of the task is a thread, made by the step that hands over the part's job. A stream's buffer
// is like a variable that every call on the stream reads and writes.
#include "tasks.h"

#include "../Engine/engine.h"
#include "interlock_places.h"

#ifdef INTERLOCK_INTERPOSES

/// The address of the object of all streams, and of the object of all waits for an unknown task.
static const char streams, unknown_tasks;

/// True once the body has bound a task-local value of its own.
static bool binds_locals;

static interlock_operation operation_on(interlock_operation_kind kind, const void *address) {
  return interlock_operation_of(kind, interlock_object_at(address)->number, 0);
}

static void did_use(const void *address) {
  interlock_did(operation_on(INTERLOCK_OPERATION_READ_WRITE, address));
}

static interlock_operation cancellation(interlock_operation_kind kind, uintptr_t task) {
  return interlock_operation_of(kind, interlock_task_at(task)->cancelled_as->number, 0);
}

static void bound_local(void) { binds_locals = true; }

/// True if a task that inherits no task-local values still gets those that `around` binds. Once the
/// body has bound a value, the task would get the body's values as well.
static bool gives_surroundings(void) {
  return interlock_exploration_asked()->around && !binds_locals;
}

void interlock_tasks_reset(void) {
  binds_locals = false;
  interlock_known_tasks_reset();
}

static void actor_made(uintptr_t actor) {
  interlock_object_anew((const void *)actor)->flags = is_own;
}

/// True if other code can observe that the waiting task gives something up: its turn on an
/// executor, its worker in a pool that may run dry, or the thread of the call that runs its part.
static bool gives_up(interlock_calling_task caller) {
  return caller.has_executor || interlock_model_thread()->part ||
         interlock_model_pools_matter() || interlock_has_unseen_end;
}

static interlock_operation operation_of(interlock_task_call call, uintptr_t object,
                                        interlock_calling_task caller) {
  uintptr_t task = caller.task;
  switch (call) {
    case INTERLOCK_TASK_CALL_SWITCH:
      if (object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, (const void *)object);
      break;
    case INTERLOCK_TASK_CALL_AWAIT:
      if (!object) return operation_on(INTERLOCK_OPERATION_READ_WRITE, &unknown_tasks);
      // A task that awaits too early may give something up. If other code cannot observe that, the
      // step is the same as a wait for the end.
      return operation_on(
          gives_up(caller) ? INTERLOCK_OPERATION_READ : INTERLOCK_OPERATION_AWAIT,
          (const void *)object);
    case INTERLOCK_TASK_CALL_AWAIT_STREAM:
    case INTERLOCK_TASK_CALL_FEED:
      return operation_on(INTERLOCK_OPERATION_READ_WRITE, &streams);
    case INTERLOCK_TASK_CALL_SLEEP:
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
    case INTERLOCK_TASK_CALL_LEAVE_LET:
      return cancellation(INTERLOCK_OPERATION_CANCEL, object);
    case INTERLOCK_TASK_CALL_COMPLETE:
      return operation_on(INTERLOCK_OPERATION_COMPLETE, (const void *)object);
    case INTERLOCK_TASK_CALL_SWITCH_EXECUTOR:
    case INTERLOCK_TASK_CALL_SWITCH_MAIN:
    case INTERLOCK_TASK_CALL_AWAIT_NEXT:
    case INTERLOCK_TASK_CALL_AWAIT_FAILURE:
    case INTERLOCK_TASK_CALL_AWAIT_REST:
    case INTERLOCK_TASK_CALL_CANCEL_REST:
    case INTERLOCK_TASK_CALL_TEST_GROUP:
    case INTERLOCK_TASK_CALL_AWAIT_CONTINUATION:
    case INTERLOCK_TASK_CALL_RESUME:
    case INTERLOCK_TASK_CALL_MAKE_CONTINUATION:
    case INTERLOCK_TASK_CALL_YIELD:
    case INTERLOCK_TASK_CALL_RETURN:
    case INTERLOCK_TASK_CALL_MAKE: break;
  }
  return interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0);
}

/// Returns the call as the user writes it.
static const char *name_of(interlock_task_call call, uintptr_t object) {
  switch (call) {
    case INTERLOCK_TASK_CALL_SWITCH: return object ? "to actor" : "leave actor";
    case INTERLOCK_TASK_CALL_SWITCH_EXECUTOR: return "to actor";
    case INTERLOCK_TASK_CALL_SWITCH_MAIN: return "to main actor";
    case INTERLOCK_TASK_CALL_LEAVE_LET: return "leave async let";
    case INTERLOCK_TASK_CALL_AWAIT: return "await task";
    case INTERLOCK_TASK_CALL_AWAIT_NEXT:
    case INTERLOCK_TASK_CALL_AWAIT_FAILURE:
    case INTERLOCK_TASK_CALL_AWAIT_REST: return "await group";
    case INTERLOCK_TASK_CALL_CANCEL_REST: return "cancel group";
    case INTERLOCK_TASK_CALL_TEST_GROUP: return "test group";
    case INTERLOCK_TASK_CALL_AWAIT_STREAM: return "await stream";
    case INTERLOCK_TASK_CALL_AWAIT_CONTINUATION: return "await continuation";
    case INTERLOCK_TASK_CALL_YIELD: return "Task.yield";
    case INTERLOCK_TASK_CALL_SLEEP: return "Task.sleep";
    case INTERLOCK_TASK_CALL_PAUSE: return "await";
    case INTERLOCK_TASK_CALL_RESUME: return "resume continuation";
    case INTERLOCK_TASK_CALL_FEED: return "feed stream";
    case INTERLOCK_TASK_CALL_CANCEL: return "cancel";
    case INTERLOCK_TASK_CALL_TEST_CANCEL: return "test cancellation";
    case INTERLOCK_TASK_CALL_COMPLETE: return "end task";
    case INTERLOCK_TASK_CALL_MAKE: return "make task";
    case INTERLOCK_TASK_CALL_MAKE_CONTINUATION: return "make continuation";
    case INTERLOCK_TASK_CALL_RETURN: return "return";
  }
  return NULL;
}

static bool has_task_ended(interlock_logical_thread *thread, void *task) {
  (void)thread;
  return !interlock_is_own_at((uintptr_t)task);
}

/// Returns true if the running thread has awaited the end of the task before, as at the end of the
/// scope of an `async let`; records the running thread as the last one to await the task.
static bool has_awaited(uintptr_t address) {
  model_task *task = interlock_task_at(address);
  const interlock_logical_thread *thread = interlock_current_thread();
  bool has = task->awaited_by == thread && !(task->object->flags & is_own);
  task->awaited_by = thread;
  return has;
}

static bool is_await_of_group(interlock_task_call call) {
  return call == INTERLOCK_TASK_CALL_AWAIT_NEXT || call == INTERLOCK_TASK_CALL_AWAIT_FAILURE ||
         call == INTERLOCK_TASK_CALL_AWAIT_REST || call == INTERLOCK_TASK_CALL_CANCEL_REST;
}

/// Reaches the point of the call, if it is one.
static void reach(interlock_task_call call, uintptr_t object, interlock_calling_task caller,
                  uintptr_t place) {
  if (call == INTERLOCK_TASK_CALL_MAKE_CONTINUATION) {
    interlock_continuation_made(caller.task, place);
    return;
  }
  bool is_own_point = true;
  if (is_await_of_group(call)) {
    interlock_name_call(name_of(call, object));
    interlock_group_awaited(object, call, gives_up(caller), place);
  } else if (call == INTERLOCK_TASK_CALL_TEST_GROUP) {
    interlock_name_call(name_of(call, object));
    interlock_group_tested(object, place);
  } else if (call == INTERLOCK_TASK_CALL_AWAIT_CONTINUATION) {
    interlock_name_call(name_of(call, object));
    interlock_continuation_awaited(caller.task, gives_up(caller), place);
  } else if (call == INTERLOCK_TASK_CALL_RESUME) {
    interlock_name_call(name_of(call, object));
    interlock_continuation_resumed(object, place);
  } else {
    is_own_point = false;
  }
  if (is_own_point) return;
  // If the pool has room for all jobs, the order in which jobs are handed over makes no difference.
  bool only_enqueues = call == INTERLOCK_TASK_CALL_MAKE || call == INTERLOCK_TASK_CALL_YIELD;
  // The end of a turn commutes like the unlock of a lock: it needs no point.
  bool only_leaves = call == INTERLOCK_TASK_CALL_SWITCH && interlock_model_thread()->turn;
  if (only_leaves || (only_enqueues && !interlock_model_job_order_matters())) return;
  interlock_operation operation = operation_of(call, object, caller);
  if (operation.kind == INTERLOCK_OPERATION_AWAIT && has_awaited(object)) return;
  interlock_name_call(name_of(call, object));
  bool waits = operation.kind == INTERLOCK_OPERATION_AWAIT && interlock_is_own_at(object);
  interlock_point(operation, waits ? has_task_ended : NULL, (void *)object, place);
}

void interlock_runtime_locks(uintptr_t place) {
  uintptr_t actor, task = interlock_running_task(&actor);
  if (!task || !interlock_events_task_is_blind((const void *)task)) return;
  interlock_learn(INTERLOCK_FACT_SEQUENCES);
  interlock_name_call("await in a sequence");
  interlock_point(operation_on(INTERLOCK_OPERATION_READ_WRITE, &streams), NULL, NULL, place);
  interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
}

static void task_ended(model_task *task) {
  uint32_t number = task->object->number;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_WRITE, number, 0));
  if (task->is_discarding) {
    interlock_did(
        interlock_operation_of(INTERLOCK_OPERATION_CANCEL, task->cancelled_as->number, 0));
  }
  task->object->flags &= ~(uint32_t)is_own;
  if (!task->group) return;
  interlock_group_task_ends(task->group, number);
  // A function of a sequence may look at the group.
  if (interlock_is_known(INTERLOCK_FACT_SEQUENCES)) did_use(&streams);
}

/// Records a wait of a task that holds a lock: other tasks may then wait for the lock on all
/// threads of the pool, so that none is left on which this task could continue.
static void note_held_locks(void) {
  const interlock_logical_thread *self = interlock_current_thread();
  bool holds = self->locks + interlock_locks_taken() > 0;
  if (holds && interlock_model_is_on_task_pool(self)) {
    interlock_the_engine.result->tasks_block = true;
  }
}

/// True if the task may give up its thread at the call.
static bool may_suspend(interlock_task_call call) {
  switch (call) {
    case INTERLOCK_TASK_CALL_RESUME:
    case INTERLOCK_TASK_CALL_TEST_GROUP:
    case INTERLOCK_TASK_CALL_FEED:
    case INTERLOCK_TASK_CALL_CANCEL:
    case INTERLOCK_TASK_CALL_TEST_CANCEL:
    case INTERLOCK_TASK_CALL_COMPLETE:
    case INTERLOCK_TASK_CALL_MAKE:
    case INTERLOCK_TASK_CALL_MAKE_CONTINUATION: return false;
    default: return true;
  }
}

static void ask(interlock_task_call call, uintptr_t object, interlock_calling_task caller,
                interlock_site site) {
  uintptr_t task = caller.task, actor = caller.actor;
  if (call == INTERLOCK_TASK_CALL_RETURN) {
    // A cancellation before this step calls the cancellation handler; a later cancellation does
    // not.
    if (task) interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
    return;
  }
  if (may_suspend(call)) note_held_locks();
  model_thread *thread = interlock_model_thread();
  // The runtime waits only for a task that has not ended, and cancels only such a task.
  if (call == INTERLOCK_TASK_CALL_LEAVE_LET && !(object && interlock_is_own_at(object))) {
    call = INTERLOCK_TASK_CALL_AWAIT;
  }
  bool switches = call == INTERLOCK_TASK_CALL_SWITCH && object;
  if (task) interlock_task_switches(task, switches ? object : 0);
  // The task was made elsewhere: a thread outside the exploration that leaves an actor runs the
  // tasks that wait for that actor.
  if (task && !interlock_is_own_at(task)) interlock_escaped(interlock_shared_actor);
  interlock_object *to = switches ? interlock_object_at((const void *)object) : NULL;
  if (to) {
    to->flags |= is_own;
    interlock_actor_met(to);
  }
  if (to && interlock_actor_entered(thread, to, site.place)) return;
  reach(call, object, caller, site.place);
  bool may_leave = call != INTERLOCK_TASK_CALL_TEST_CANCEL && call != INTERLOCK_TASK_CALL_MAKE &&
                   call != INTERLOCK_TASK_CALL_TEST_GROUP &&
                   call != INTERLOCK_TASK_CALL_MAKE_CONTINUATION;
  if (thread->turn) {
    bool leaves = call == INTERLOCK_TASK_CALL_SWITCH ||
                  call == INTERLOCK_TASK_CALL_SWITCH_EXECUTOR ||
                  call == INTERLOCK_TASK_CALL_SWITCH_MAIN ||
                  call == INTERLOCK_TASK_CALL_COMPLETE;
    // At other calls the turn ends with the task's job, if the task has to wait.
    if (leaves) interlock_actor_left(thread);
  } else {
    uintptr_t next = switches ? object : actor;
    interlock_object *next_actor = next ? interlock_object_at((const void *)next) : NULL;
    if (next_actor) next_actor->flags |= is_own;
    thread->actor = next_actor ? next_actor->number : 0;
    if (actor && actor != object && may_leave) did_use((const void *)actor);
  }
  if (call == INTERLOCK_TASK_CALL_COMPLETE) {
    task_ended(interlock_task_at(object));
  }
  if (call == INTERLOCK_TASK_CALL_LEAVE_LET) {
    interlock_did(operation_on(INTERLOCK_OPERATION_READ, (const void *)object));
  }
  // A cancellation runs the handler of a task that waits in a stream, which ends the stream.
  bool cancels = call == INTERLOCK_TASK_CALL_CANCEL || call == INTERLOCK_TASK_CALL_CANCEL_REST ||
                 call == INTERLOCK_TASK_CALL_LEAVE_LET;
  if (cancels && interlock_object_known(&streams)) did_use(&streams);
  // The cancellation may wake tasks that wait.
  if (call == INTERLOCK_TASK_CALL_CANCEL_REST) {
    interlock_did(cancellation(INTERLOCK_OPERATION_CANCEL, task));
  }
  bool waits = call == INTERLOCK_TASK_CALL_AWAIT_STREAM || is_await_of_group(call);
  if (waits && task) interlock_did(cancellation(INTERLOCK_OPERATION_TEST_CANCEL, task));
}

/// Yields as a step of the thread if the task is on no actor: the task then gives up only its
/// thread. Every task that waits for a thread has a free one, so the thread on which this task
/// continues makes no difference.
static bool yields(interlock_calling_task caller, interlock_site site) {
  if (gives_up(caller)) return false;
  note_held_locks();
  interlock_name_call("Task.yield");
  interlock_yield(&interlock_task_at(caller.task)->waits, site.place);
  return true;
}

/// The thread's state before a part of a task begins within a call of the thread.
struct interlock_task_part {
  uint32_t outer_actor;
  interlock_object *outer_turn;
  struct interlock_task_part *outer;
};

// A part of a task begins within a call, or on a custom executor. The executor's calls are explored
// and order its jobs. A task that waits or yields gives up the executor, and other jobs can observe
// that, as with a serial queue.
static void part_begins(uintptr_t job, bool is_on_executor, bool is_first) {
  model_thread *thread = interlock_model_thread();
  struct interlock_task_part *part = interlock_execution_memory(sizeof *part);
  *part = (struct interlock_task_part){thread->actor, thread->turn, thread->part};
  thread->part = part;
  thread->actor = 0;
  thread->turn = NULL;
  if (interlock_is_job_of_actor((const char *)job)) interlock_learn(INTERLOCK_FACT_ACTOR_JOBS);
  // The task runs before its end can be followed.
  if (is_first) interlock_has_unseen_end = true;
  if (is_on_executor) {
    interlock_learn(INTERLOCK_FACT_SERIAL_JOBS);
    if (interlock_job_is_outside(job, is_first)) {
      interlock_escaped("a task that the body did not make, on a custom executor");
    }
  }
}

static void part_ends(void) {
  interlock_model_actor_given_up();
  model_thread *thread = interlock_model_thread();
  const struct interlock_task_part *part = thread->part;
  thread->actor = part->outer_actor;
  thread->turn = part->outer_turn;
  thread->part = part->outer;
}

const interlock_task_performer interlock_task_model =
    {.ask = ask, .yields = yields, .actor_made = actor_made, .made = interlock_task_made,
     .makings = &interlock_makings,
     .is_outside = interlock_job_is_outside, .part_begins = part_begins, .part_ends = part_ends,
     .bound_local = bound_local, .gives_surroundings = gives_surroundings};

#endif
