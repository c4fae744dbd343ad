// What the blocks of queues and the jobs of tasks pass on, and what they get.
#include "../thread_record.h"

/// All that left any group: the block that comes of it does not name its group.
common_clock interlock_clock_left;
/// All that ended in a group that was not named.
common_clock interlock_clock_unnamed;

// Queues: a serial one is had as a lock by each of its blocks, a concurrent one by a barrier, and
// shared by the others.

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

// Tasks. A new one comes after its maker, which enqueued it. One that goes on comes after the
// thread that let it go on, which no call shows, and after what it did on other threads: after all
// that has happened so far. So does what is on an actor, which lets one in at a time, as no call
// shows either; and what a sequence's closure does, before which the runtime may have waited by
// itself.

static void begin_job(thread_clock *own, const interlock_event *event) {
  bool is_first = own->jobs++ == 0 && event->item && event->flags & INTERLOCK_FLAG_FIRST_JOB;
  if (is_first) {
    interlock_clock_forget_all(own);
    // Of an actor's job, no task's.
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

/// Before anything that a job does.
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
  // Of an item that is queued twice, either run may be taken for the other.
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
  // Of a work item that is queued twice, either run may be taken for the other, which was in a
  // group.
  if (event->flags & (INTERLOCK_FLAG_UNNAMED_GROUP | INTERLOCK_FLAG_WORK_ITEM)) {
    interlock_clock_pass_to(own, &interlock_clock_unnamed);
  }
  if (run.is_foreign) interlock_clock_pass(own, queue, AS_RETURN, false);
}

void interlock_clock_events_forked(void) {
  interlock_clock_left.lock = interlock_clock_unnamed.lock = 0;
}
