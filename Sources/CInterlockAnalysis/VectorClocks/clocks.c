// Vector clocks, as in Djit+ and FastTrack (PLDI 2009): each thread counts how often it has given
// something up to others, and knows of each other thread up to which count all of it has happened
// before. What threads meet at (a lock, a queue, a block) carries such a clock from who gives it up
// to who gets it.
//
// An order too many is a race that is not told; an order too few would be a false alarm. So where
// it cannot be said who passed what to whom, all is passed; and where something may order threads
// unseen, no order is told from then on.
#include "../thread_record.h"
#include "interlock_clocks.h"
#include "interlock_runtime.h"

static const char *blindness;
/// Whether a section asked for the order since none is told.
static bool is_missed;
static int state;

/// All that left any group: the block that comes of it does not name its group.
static common_clock left;
/// All that ended in a group that was not named.
static common_clock ended_unnamed;

void interlock_clocks_lose_sight(const char *reason) {
  const char *none = NULL;
  // Relaxed: text that never changes; when the others see it is of no account, for what was missed
  // came before.
  __atomic_compare_exchange_n(&blindness, &none, reason, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const char *interlock_clocks_blindness(void) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) == 3) {
    const char *lost = interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS);
    return lost ? lost : "there was no memory for it, or no room for a reader";
  }
  return __atomic_load_n(&blindness, __ATOMIC_RELAXED);
}

/// Whether no order is told any more. Asked in the reader, which is only there where the clocks
/// have started.
static inline bool is_blind(void) { return __atomic_load_n(&blindness, __ATOMIC_RELAXED) != NULL; }

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

// Tasks. A new one comes after who made it, which enqueued it. One that goes on comes after whoever
// let it go on, of whom no call tells, and after what it did on other threads: after all that has
// happened so far. So does what is on an actor, which lets one in at a time, as no call tells
// either; and what a sequence's closure does, before which the runtime may have waited by itself.

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
static void come_to_task(thread_clock *own) {
  uintptr_t task = swift_task_getCurrent ? (uintptr_t)swift_task_getCurrent() : 0;
  if (task != own->task || !swift_task_getCurrentExecutor || swift_task_getCurrentExecutor().identity ||
      interlock_events_task_is_blind((const void *)task)) {
    interlock_clock_know_all(own);
    own->task = task;
  }
}

static void note_task(thread_clock *own, const interlock_event *event) {
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

static void begin_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {.group = (uintptr_t)event->value};
  if (event->flags & INTERLOCK_FLAG_JOB) begin_job(own, event);
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    interlock_clock_get(own, queue, AS_APPLY, false, false);
  } else if (event->item) {
    interlock_clock_get(own, (uintptr_t)event->item, AS_ITEM, false, true);
    if (event->flags & INTERLOCK_FLAG_ON_GROUP) {
      interlock_clock_get_from(own, &left);
      interlock_clock_get_from(own, &ended_unnamed);
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

static void end_block(thread_clock *own, const interlock_event *event) {
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
    interlock_clock_pass_to(own, &left);
  }
  // Of a work item that is queued twice, either run may be taken for the other, which was in a
  // group.
  if (event->flags & (INTERLOCK_FLAG_UNNAMED_GROUP | INTERLOCK_FLAG_WORK_ITEM)) {
    interlock_clock_pass_to(own, &ended_unnamed);
  }
  if (run.is_foreign) interlock_clock_pass(own, queue, AS_RETURN, false);
}

// What else there is.

static bool forget_shared(thread_clock *own, uintptr_t lock) {
  for (uint32_t index = own->shared_count; index-- > 0;) {
    if (own->shared[index] != lock) continue;
    own->shared[index] = own->shared[--own->shared_count];
    return true;
  }
  return false;
}

static void note_wait(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_QUEUE:
      if (event->flags & INTERLOCK_FLAG_APPLY) {
        interlock_clock_pass(own, object, AS_APPLY, false);
      } else {
        own->called_queue = object;
        interlock_clock_pass(own, object, AS_CALL, false);
      }
      return;
    // The mutex is given up for as long as the wait lasts.
    case INTERLOCK_OBJECT_CONDITION: interlock_clock_pass(own, (uintptr_t)event->other, AS_LOCK, false); return;
    default: return;
  }
}

static inline void acquire_lock(thread_clock *own, interlock_object_kind kind, uintptr_t object,
                                uintptr_t place) {
  if (kind == INTERLOCK_OBJECT_MUTEX) {
    interlock_clock_get_mutex(own, object, place);
  } else {
    interlock_clock_get(own, object, AS_LOCK, false, false);
  }
}

static inline void release_lock(thread_clock *own, interlock_object_kind kind, uintptr_t object,
                                uintptr_t place) {
  if (kind == INTERLOCK_OBJECT_MUTEX) {
    interlock_clock_pass_mutex(own, object, place);
  } else {
    interlock_clock_pass(own, object, AS_LOCK, false);
  }
}

static void note_acquire(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_READ_LOCK:
      if (own->shared_count < most_shared) own->shared[own->shared_count++] = object;
      interlock_clock_get(own, object, AS_LOCK, true, false);
      return;
    case INTERLOCK_OBJECT_ONCE:
      own->initialisers++;
      interlock_clock_get(own, object, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_CONDITION:
      interlock_clock_get(own, object, AS_LOCK, false, false);
      interlock_clock_get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      interlock_clock_get(own, object, AS_LOCK, false, false);
      interlock_clock_get_from(own, &ended_unnamed);
      return;
    case INTERLOCK_OBJECT_QUEUE:
      interlock_clock_get(own, object, event->flags & INTERLOCK_FLAG_APPLY ? AS_APPLIED : AS_RETURN, false, false);
      own->called_queue = 0;
      return;
    case INTERLOCK_OBJECT_THREAD: interlock_clock_join_thread(own, (pthread_t)event->object); return;
    case INTERLOCK_OBJECT_WORK_ITEM:
      // It may have run where nothing tells of it, as by `perform`.
      interlock_clock_know_all(own);
      return;
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
      acquire_lock(own, event->object_kind, object, event->place);
      return;
    default: return;
  }
}

static void note_release(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK: interlock_clock_pass(own, object, AS_LOCK, forget_shared(own, object)); return;
    case INTERLOCK_OBJECT_ONCE:
      if (own->initialisers > 0) own->initialisers--;
      interlock_clock_pass(own, object, AS_LOCK, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      interlock_clock_pass(own, object, AS_LOCK, false);
      interlock_clock_pass_to(own, &left);
      return;
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_CONDITION:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
      release_lock(own, event->object_kind, object, event->place);
      return;
    default: return;
  }
}

static void note_order(thread_clock *own, const interlock_event *event) {
  switch ((interlock_order_change)event->value) {
    case INTERLOCK_ORDER_GIVES: interlock_clock_pass(own, (uintptr_t)event->object, AS_LOCK, false); return;
    case INTERLOCK_ORDER_GETS: interlock_clock_get(own, (uintptr_t)event->object, AS_LOCK, false, false); return;
    case INTERLOCK_ORDER_AFTER_SOMEBODY: interlock_clock_know_all(own); return;
  }
}

static void note(thread_clock *own, const interlock_event *event) {
  switch (event->kind) {
    case INTERLOCK_EVENT_WAIT: note_wait(own, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(own, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      // The wait is over, and the mutex is had again.
      if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
        interlock_clock_get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      }
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(own, event); return;
    case INTERLOCK_EVENT_ENQUEUE:
      interlock_clock_pass(own, (uintptr_t)event->item, AS_ITEM, false);
      return;
    case INTERLOCK_EVENT_CANCEL: interlock_clock_get(own, (uintptr_t)event->item, AS_ITEM, false, true); return;
    case INTERLOCK_EVENT_BEGIN: begin_block(own, event); return;
    case INTERLOCK_EVENT_END: end_block(own, event); return;
    case INTERLOCK_EVENT_FORK: interlock_clock_pass(own, (uintptr_t)event->object, AS_THREAD, false); return;
    case INTERLOCK_EVENT_START: interlock_clock_get(own, (uintptr_t)event->object, AS_THREAD, false, true); return;
    case INTERLOCK_EVENT_UNFOLLOWED:
      interlock_clocks_lose_sight("a Dispatch source, I/O or the notification of a work item runs code, which no event tells of");
      return;
    case INTERLOCK_EVENT_CONFIGURE:
      // A queue that was suspended, or not active yet, goes on: what it runs comes after this.
      if (event->value == -1 || event->value == 0) interlock_clock_pass(own, (uintptr_t)event->object, AS_LOCK, false);
      return;
    case INTERLOCK_EVENT_DESTROY: interlock_clock_forget(own, (uintptr_t)event->object); return;
    case INTERLOCK_EVENT_TASK: note_task(own, event); return;
    case INTERLOCK_EVENT_ORDER: note_order(own, event); return;
    default: return;
  }
}

void interlock_clocks_read(thread_record *record, const interlock_event *event) {
  if (is_blind()) return;
  // The tracker's own locks are no order that a user could have meant.
  if (interlock_tracker_locks > 0) return;
  // What Dispatch's idle workers wait at orders nothing that a user may count on.
  if (event->object_kind == INTERLOCK_OBJECT_IDLE || event->object_kind == INTERLOCK_OBJECT_FUTEX) return;
  thread_clock *own = interlock_clock_own(record, event);
  if (!own) return;
  if (own->is_busy) {
    interlock_clocks_lose_sight("a signal's handler met the reader at work");
    return;
  }
  own->is_busy = true;
  // The compiler keeps both marks around what lies between: a handler may look at them.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (own->jobs > 0) come_to_task(own);
  note(own, event);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

/// In a function of its own: most events need no room for one.
__attribute__((noinline)) static void read_other(thread_record *record, interlock_event_kind kind,
                                                 interlock_object_kind object_kind,
                                                 uintptr_t object, uintptr_t place) {
  interlock_event event =
      interlock_lock_event(kind, object_kind, (const void *)object, 0, place, 0);
  interlock_clocks_read(record, &event);
}

void interlock_clocks_read_lock(thread_record *record, interlock_event_kind kind,
                                interlock_object_kind object_kind, uintptr_t object,
                                uintptr_t place) {
  thread_clock *own = record->clock;
  const uint32_t usual = INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_RELEASE;
  if (!own || own->is_busy || own->jobs > 0 || object_kind == INTERLOCK_OBJECT_IDLE ||
      !(kind & usual) || interlock_tracker_locks > 0 || is_blind()) {
    read_other(record, kind, object_kind, object, place);
    return;
  }
  // As in `interlock_clocks_read`.
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (kind == INTERLOCK_EVENT_ACQUIRE) {
    acquire_lock(own, object_kind, object, place);
  } else {
    release_lock(own, object_kind, object, place);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

// For who asks.

bool interlock_clocks_moment(bool is_task, uint32_t *slot, uint64_t *count) {
  // Relaxed, the second: as in `interlock_clocks_blindness`. The third: read at the end.
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2 || __atomic_load_n(&blindness, __ATOMIC_RELAXED)) {
    __atomic_store_n(&is_missed, true, __ATOMIC_RELAXED);
    return false;
  }
  thread_clock *own = interlock_clock_own(own_record(), NULL);
  if (!own || own->initialisers > 0 || is_task != (own->jobs > 0)) return false;
  if (is_task) {
    own->is_busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    come_to_task(own);
    // Who learns of all in between learns of what the task has done up to now.
    clock_count_on(own);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    own->is_busy = false;
  }
  *slot = own->slot;
  *count = own->clock.counts[own->slot];
  return true;
}

bool interlock_clocks_are_missed(void) { return __atomic_load_n(&is_missed, __ATOMIC_RELAXED); }

void interlock_clocks_come_after_all(void) {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) return;
  thread_clock *own = interlock_clock_own(own_record(), NULL);
  if (own) interlock_clock_know_all(own);
}

bool interlock_clocks_has_seen(uint32_t slot, uint64_t count) {
  const thread_clock *own = interlock_own_record ? interlock_own_record->clock : NULL;
  return !own || interlock_clock_has_seen(own, slot, count);
}

static void forked(void) {
  // What the parent's threads did is nothing to its child, and who had the locks is not here.
  interlock_set_order_source(NULL);
  left.lock = ended_unnamed.lock = 0;
  interlock_clock_nodes_forked();
  interlock_clock_threads_forked();
}

static bool prepare(void) {
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) return false;
  if (interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS)) return false;
  if (!interlock_clock_nodes_prepare() || !interlock_clock_threads_prepare()) return false;
  pthread_atfork(NULL, NULL, forked);
  interlock_queues_prepare();
  return interlock_follow(INTERLOCK_PART_CLOCKS);
}

static const interlock_order_source source = {interlock_clocks_moment, interlock_clocks_has_seen, interlock_tell_held};

bool interlock_clocks_start(void) {
  int none = 0;
  // Acquire and release: who finds it started finds the tables.
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    interlock_events_hide_thread(true);
    bool is_on = prepare();
    interlock_events_hide_thread(false);
    __atomic_store_n(&state, is_on ? 2 : 3, __ATOMIC_RELEASE);
    if (is_on) interlock_set_order_source(&source);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1) sched_yield();
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2;
}
