// The orders that blocks of queues and jobs of tasks make.
#include "../thread_record.h"

/// The epochs at which threads left groups. One clock for all groups: a block that waited for a
/// group does not name it.
common_clock interlock_clock_left;
/// The epochs at which blocks ended in a group that they did not name.
common_clock interlock_clock_unnamed;

// Each block of a serial queue holds the queue as a lock. On a concurrent queue, a barrier holds it
// as a lock and other blocks share it.

static void enter_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    interlock_clock_get(own, queue, AS_LOCK, width != 1 && !(is_barrier && depth == 0), false);
    queue = target;
  }
}

static void leave_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    interlock_clock_pass(own, queue, AS_LOCK, width != 1 && !(is_barrier && depth == 0));
    queue = target;
  }
}

// Tasks. A new task is ordered after its creator, which enqueued its first job. A task that resumes
// is ordered after the thread that resumed it, which no call shows, and after its own work on other
// threads: it is therefore ordered after everything so far. So is code on an actor, because no call
// shows which task left the actor before, and a closure of a sequence, because the runtime may have
// waited before it without a call.

static void begin_job(thread_clock *own, const interlock_event *event) {
  bool is_first = own->jobs++ == 0 && event->item && event->flags & INTERLOCK_FLAG_FIRST_JOB;
  if (is_first) {
    interlock_clock_forget_all(own);
    // For an actor's job this is no task, and so differs from the current one.
    own->task = (uintptr_t)event->item->context;
  } else {
    interlock_clock_know_all(own);
    own->task = 0;
  }
}

static void end_job(thread_clock *own) {
  if (own->jobs > 0 && --own->jobs == 0) interlock_clock_remember(own);
  own->task = 0;
}

/// Called before each event of a job.
void interlock_clock_come_to_task(thread_clock *own) {
  uintptr_t task = swift_task_getCurrent ? (uintptr_t)swift_task_getCurrent() : 0;
  if (task != own->task || !swift_task_getCurrentExecutor ||
      swift_task_getCurrentExecutor().identity ||
      interlock_events_task_is_blind((const void *)task)) {
    interlock_clock_know_all(own);
    own->task = task;
  }
}

void interlock_clock_note_task(thread_clock *own, const interlock_event *event) {
  const char *reason;
  switch ((interlock_task_change)event->value) {
    case INTERLOCK_TASK_GOES_ON:
      interlock_clock_know_all(own);
      own->task = (uintptr_t)event->object;
      return;
    case INTERLOCK_TASK_RUNS: begin_job(own, event); return;
    case INTERLOCK_TASK_RAN: end_job(own); return;
    case INTERLOCK_TASK_LOST:
      reason = interlock_layouts_lost(1 << INTERLOCK_LAYOUT_CONTEXT);
      interlock_clocks_lose_sight(
          reason ? reason : "there were more tasks that wait at a time than are followed");
      return;
  }
}

void interlock_clock_begin_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {.group = (uintptr_t)event->value};
  if (event->flags & INTERLOCK_FLAG_JOB) begin_job(own, event);
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    interlock_clock_get(own, queue, AS_APPLY, false, false);
  } else if (event->item) {
    interlock_clock_get(own, (uintptr_t)event->item, AS_ITEM, false, true);
    if (event->flags & INTERLOCK_FLAG_ON_GROUP) {
      interlock_clock_get_from(own, &interlock_clock_left);
      interlock_clock_get_from(own, &interlock_clock_unnamed);
    }
  } else if (own->called_queue != queue) {
    run.is_foreign = true;
    interlock_clock_get(own, queue, AS_CALL, false, false);
  }
  own->called_queue = 0;
  // If a work item is queued twice, it is not known which enqueuing belongs to this run.
  if (event->flags & INTERLOCK_FLAG_WORK_ITEM) interlock_clock_know_all(own);
  if (!(event->flags & INTERLOCK_FLAG_APPLY)) {
    enter_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
  }
  if (own->runs < most_runs) {
    own->run[own->runs] = run;
  } else {
    interlock_clocks_lose_sight("a thread ran more than 16 blocks inside each other");
  }
  own->runs++;
}

void interlock_clock_end_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {0};
  if (own->runs > 0 && --own->runs < most_runs) run = own->run[own->runs];
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    interlock_clock_pass(own, queue, AS_APPLIED, false);
    return;
  }
  leave_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
  if (event->flags & INTERLOCK_FLAG_JOB) end_job(own);
  if (run.group) {
    interlock_clock_pass(own, run.group, AS_LOCK, false);
    interlock_clock_pass_to(own, &interlock_clock_left);
  }
  // If a work item is queued twice, this run may be the one that is in a group.
  if (event->flags & (INTERLOCK_FLAG_UNNAMED_GROUP | INTERLOCK_FLAG_WORK_ITEM)) {
    interlock_clock_pass_to(own, &interlock_clock_unnamed);
  }
  if (run.is_foreign) interlock_clock_pass(own, queue, AS_RETURN, false);
}

void interlock_clock_events_forked(void) {
  interlock_clock_left.lock = interlock_clock_unnamed.lock = 0;
}
