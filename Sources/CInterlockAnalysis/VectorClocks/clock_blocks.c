// The orders that blocks of queues and jobs of tasks make.
#include "../thread_record.h"


/// The epochs at which threads left groups. One clock for all groups: a block that waited for a
/// group does not name it.
common_clock interlock_clock_left;
/// The epochs at which blocks ended in a group that they did not name.
common_clock interlock_clock_unnamed;
/// True once a block that was queued twice has run. Its end is recorded in the clock above, because
/// the known queue of the run may be that of the other enqueuing.
static bool has_unknown_queue;

// Each block of a serial queue holds the queue as a lock. On a concurrent queue, a barrier holds it
// as a lock and other blocks share it.

static void enter_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    interlock_clock_get_queue(own, queue, width != 1 && !(is_barrier && depth == 0));
    queue = target;
  }
}

void interlock_clock_leave_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    interlock_clock_pass_queue(own, queue, width != 1 && !(is_barrier && depth == 0));
    queue = target;
  }
}

// Tasks. A new task is ordered after its creator, which enqueued its first job. A resumed task is
// ordered after the thread that resumed it, which no call shows, and after its own parts on other
// threads; so it is ordered after everything so far. The same holds for code on an actor, because
// no call shows which task left the actor before, and for a closure of a sequence, because the
// runtime may have waited before it without a call.

static void begin_job(thread_clock *own, const interlock_event *event) {
  bool is_first = own->jobs++ == 0 && event->item && event->flags & INTERLOCK_FLAG_FIRST_JOB;
  if (is_first) {
    interlock_clock_forget_all(own);
    // For an actor's job this is not a task, and so differs from the current task.
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
  if (interlock_clock_tasks_are_exact) return;
  uintptr_t task = swift_task_getCurrent ? (uintptr_t)swift_task_getCurrent() : 0;
  if (task != own->task || !swift_task_getCurrentExecutor ||
      swift_task_getCurrentExecutor().identity ||
      interlock_events_task_is_blind((const void *)task)) {
    interlock_clock_know_all(own);
    own->task = task;
  }
}

/// The same if a task has a clock of its own. Then only orders that the runtime does not show need
/// the events.
static void note_exact_task(thread_record *record, thread_clock *own,
                            const interlock_event *event) {
  uintptr_t task = (uintptr_t)event->object;
  switch ((interlock_task_change)event->value) {
    case INTERLOCK_TASK_RESUMES:
      if (own->task != task) {
        if (own->calls == 0) interlock_clock_task_begins(record, task, false);
        return;
      }
      // A continuation that was resumed before its await makes no other call.
      interlock_clock_get(own, task, AS_TASK, false, false);
      return;
    case INTERLOCK_TASK_RUNS: interlock_clock_calls(record, own); return;
    case INTERLOCK_TASK_RAN: interlock_clock_has_called(record); return;
    case INTERLOCK_TASK_MADE:
      interlock_clock_forget(task, AS_TASK);
      interlock_clock_pass(own, task, AS_TASK, false);
      return;
    case INTERLOCK_TASK_LOST: return;
  }
}

void interlock_clock_note_task(thread_record *record, thread_clock *own,
                               const interlock_event *event) {
  const char *reason;
  if (interlock_clock_tasks_are_exact && event->value != INTERLOCK_TASK_LOST) {
    note_exact_task(record, own, event);
    return;
  }
  switch ((interlock_task_change)event->value) {
    case INTERLOCK_TASK_RESUMES:
      interlock_clock_know_all(own);
      own->task = (uintptr_t)event->object;
      return;
    case INTERLOCK_TASK_RUNS: begin_job(own, event); return;
    case INTERLOCK_TASK_RAN: end_job(own); return;
    case INTERLOCK_TASK_MADE: return;
    case INTERLOCK_TASK_LOST:
      reason = interlock_layouts_lost(1 << INTERLOCK_LAYOUT_CONTEXT);
      interlock_clocks_lose_sight(
          reason ? reason : "there were more tasks that wait at a time than are followed");
      return;
  }
}

/// Begins a job whose task has a clock of its own. On a pool, the runtime's code between tasks
/// comes after no earlier code of the thread. On a serial queue, the job comes after the thread's
/// code, which comes after the queue's other blocks.
static void begin_exact_job(thread_clock *own, uintptr_t queue, clock_run *run) {
  uintptr_t target;
  run->is_serial_job = interlock_queue_look(queue, &target) == 1;
  run->is_pool_job = !run->is_serial_job && own->first_count == 0;
  if (run->is_serial_job) interlock_clock_calls(own_record(), own);
  if (run->is_pool_job) interlock_clock_forget_all(own);
  note_clock_change(own_record());
}

static void end_exact_job(thread_clock *own, const clock_run *run) {
  if (run->is_serial_job) interlock_clock_has_called(own_record());
  if (run->is_pool_job) interlock_clock_remember(own);
}

/// True if a pool runs the block, or the iteration, on whichever thread is free, so that it comes
/// after no earlier code of the thread. The main queue always has the same thread.
static bool is_apart(const thread_clock *own, const interlock_event *event) {
  if (own->first_count != 0 || own->of_task || event->flags & INTERLOCK_FLAG_JOB) return false;
  if (event->flags & INTERLOCK_FLAG_APPLY) return true;
  return event->item && own->runs == 0 && !interlock_is_main_thread();
}

/// Returns the frame of the interposed function that calls the block. Above it are the caller's
/// frames, whose variables the block may use. 0 if the frame pointers do not tell.
static uintptr_t calling_frame(void) {
#ifdef INTERLOCK_INTERPOSES
  enum { most_frames = 16, farthest = 1024 };
  const uintptr_t *frame = __builtin_frame_address(0);
  for (int count = 0; count < most_frames; count++) {
    const uintptr_t *next = (const uintptr_t *)frame[0];
    bool is_near = next > frame && (uintptr_t)next - (uintptr_t)frame < farthest;
    if (!is_near) return 0;
    if (interlock_is_between(frame[1])) return (uintptr_t)next;
    frame = next;
  }
#endif
  return 0;
}

static void begin_apart(thread_clock *own) {
  thread_record *record = own_record();
  interlock_clock_leaves_locals(record, own);
  interlock_clock_forget_all(own);
  uintptr_t frame = calling_frame();
  if (frame) {
    note_clock_change_below(record, frame);
  } else {
    note_clock_change(record);
  }
}

static void end_apart(thread_clock *own) {
  interlock_clock_leaves_locals(own_record(), own);
  interlock_clock_remember(own);
}

void interlock_clock_begin_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {.group = (uintptr_t)event->value};
  bool is_exact = interlock_clock_tasks_are_exact && event->flags & INTERLOCK_FLAG_JOB;
  if (is_exact) {
    begin_exact_job(own, queue, &run);
  } else if (event->flags & INTERLOCK_FLAG_JOB) {
    begin_job(own, event);
  }
  run.is_apart = is_apart(own, event);
  if (run.is_apart) begin_apart(own);
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    interlock_clock_get(own, (uintptr_t)event->other, AS_APPLY, false, false);
  } else if (is_exact) {
    // The runtime shows the code after which the job comes.
  } else if (event->item) {
    interlock_clock_get_item(own, event->item);
    if (event->flags & INTERLOCK_FLAG_ON_GROUP) {
      interlock_clock_get_from(own, &interlock_clock_left);
      interlock_clock_get_from(own, &interlock_clock_unnamed);
    }
  } else if (own->called_queue != queue) {
    run.is_foreign = true;
    interlock_clock_get(own, queue, AS_CALL, false, false);
  }
  own->called_queue = 0;
  if (event->flags & INTERLOCK_FLAG_WORK_ITEM) run.work_item = (uintptr_t)event->other;
  // Either enqueuing may belong to this run.
  if (event->flags & INTERLOCK_FLAG_QUEUED_TWICE) interlock_clock_know_all(own);
  if (!(event->flags & INTERLOCK_FLAG_APPLY)) {
    enter_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
    // Relaxed: the queue itself orders the earlier run's end before this.
    if (__atomic_load_n(&has_unknown_queue, __ATOMIC_RELAXED)) {
      interlock_clock_get_from(own, &interlock_clock_unnamed);
    }
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
    interlock_clock_pass(own, (uintptr_t)event->other, AS_APPLIED, false);
    if (run.is_apart) end_apart(own);
    return;
  }
  interlock_clock_leave_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
  if (run.is_pool_job || run.is_serial_job) {
    end_exact_job(own, &run);
  } else if (event->flags & INTERLOCK_FLAG_JOB) {
    end_job(own);
  }
  if (run.group) {
    interlock_clock_pass(own, run.group, AS_LOCK, false);
    interlock_clock_pass_to(own, &interlock_clock_left);
  }
  if (run.work_item) interlock_clock_pass(own, run.work_item, AS_LOCK, false);
  // A work item was queued twice: this run may be the run in the group, or on the other queue.
  if (event->flags & INTERLOCK_FLAG_QUEUED_TWICE) {
    __atomic_store_n(&has_unknown_queue, true, __ATOMIC_RELAXED);
  }
  if (event->flags & (INTERLOCK_FLAG_UNNAMED_GROUP | INTERLOCK_FLAG_QUEUED_TWICE)) {
    interlock_clock_pass_to(own, &interlock_clock_unnamed);
  }
  if (run.is_foreign) interlock_clock_pass(own, queue, AS_RETURN, false);
  if (run.is_apart) end_apart(own);
}

void interlock_clock_events_forked(void) {
  interlock_clock_left.lock = interlock_clock_unnamed.lock = 0;
}
