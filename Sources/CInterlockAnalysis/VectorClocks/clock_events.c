// The part of the reader for clocks: the orders that each event makes.
#include "../thread_record.h"
#include "interlock_performer.h"
#include "interlock_runtime.h"

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
        // By the call: unrelated calls have one queue.
        interlock_clock_pass(own, (uintptr_t)event->other, AS_APPLY, false);
      } else {
        own->called_queue = object;
        interlock_clock_pass(own, object, AS_CALL, false);
      }
      return;
    // The wait releases the mutex.
    case INTERLOCK_OBJECT_CONDITION:
      interlock_clock_pass(own, (uintptr_t)event->other, AS_LOCK, false);
      return;
    default: return;
  }
}

/// A lock may have no clock before its first release.
static inline void mark_lock(uintptr_t lock) {
  if (interlock_memory_lock_made) interlock_memory_lock_made((const void *)lock);
}

static inline void acquire_lock(thread_clock *own, interlock_object_kind kind, uintptr_t object,
                                uintptr_t place) {
  if (kind == INTERLOCK_OBJECT_MUTEX) {
    interlock_clock_get_mutex(own, object, place);
  } else if (kind == INTERLOCK_OBJECT_SEMAPHORE) {
    mark_lock(object);
    interlock_clock_get_semaphore(own, object);
  } else {
    if (kind != INTERLOCK_OBJECT_OWNED_FUTEX) mark_lock(object);
    interlock_clock_get(own, object, AS_LOCK, false, false);
  }
}

static inline void release_lock(thread_clock *own, interlock_object_kind kind, uintptr_t object,
                                uintptr_t place) {
  if (kind == INTERLOCK_OBJECT_MUTEX) {
    interlock_clock_pass_mutex(own, object, place);
  } else if (kind == INTERLOCK_OBJECT_SEMAPHORE) {
    interlock_clock_pass_semaphore(own, object);
  } else {
    interlock_clock_pass(own, object, AS_LOCK, false);
  }
}

static void note_acquire(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_READ_LOCK:
      mark_lock(object);
      if (own->shared_count < most_shared) own->shared[own->shared_count++] = object;
      interlock_clock_get(own, object, AS_LOCK, true, false);
      return;
    case INTERLOCK_OBJECT_ONCE:
      own->initialisers++;
      interlock_clock_get(own, object, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_CONDITION:
      mark_lock(object);
      interlock_clock_get(own, object, AS_LOCK, false, false);
      interlock_clock_get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      interlock_clock_get(own, object, AS_LOCK, false, false);
      interlock_clock_get_from(own, &interlock_clock_unnamed);
      return;
    case INTERLOCK_OBJECT_QUEUE:
      if (event->flags & INTERLOCK_FLAG_APPLY) {
        interlock_clock_get(own, (uintptr_t)event->other, AS_APPLIED, false, true);
        interlock_clock_forget((uintptr_t)event->other, AS_APPLY);
      } else {
        interlock_clock_get(own, object, AS_RETURN, false, false);
      }
      own->called_queue = 0;
      return;
    case INTERLOCK_OBJECT_THREAD:
      interlock_clock_join_thread(own, (pthread_t)event->object);
      return;
    case INTERLOCK_OBJECT_WORK_ITEM:
      // An item that was made before the clocks began may have run unseen.
      if (!interlock_clock_get(own, object, AS_LOCK, false, false)) interlock_clock_know_all(own);
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
    case INTERLOCK_OBJECT_WRITE_LOCK:
      interlock_clock_pass(own, object, AS_LOCK, forget_shared(own, object));
      return;
    case INTERLOCK_OBJECT_ONCE:
      if (own->initialisers > 0) own->initialisers--;
      interlock_clock_pass(own, object, AS_LOCK, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      interlock_clock_pass(own, object, AS_LOCK, false);
      interlock_clock_pass_to(own, &interlock_clock_left);
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
  uintptr_t object = (uintptr_t)event->object;
  switch ((interlock_order_change)event->value) {
    case INTERLOCK_ORDER_RELEASE: interlock_clock_pass(own, object, AS_LOCK, false); return;
    case INTERLOCK_ORDER_ACQUIRE: interlock_clock_get(own, object, AS_LOCK, false, false); return;
    case INTERLOCK_ORDER_AFTER_UNKNOWN: interlock_clock_know_all(own); return;
    case INTERLOCK_ORDER_BEFORE_BLOCKS_OF: interlock_clock_leave_queues(own, object, false); return;
  }
}

static void note_enqueue(thread_clock *own, const interlock_event *event) {
  if (interlock_clock_tasks_are_exact && event->flags & INTERLOCK_FLAG_JOB) {
    // The runtime shows the orders of other jobs.
    if (event->flags & INTERLOCK_FLAG_DELAYED) {
      const void *job = event->item->context;
      interlock_clock_pass(own, (uintptr_t)job, interlock_clock_purpose_of(job), false);
    }
    return;
  }
  interlock_clock_pass_item(own, event->item);
}

static void note_start(thread_clock *own, uintptr_t object) {
#ifdef INTERLOCK_INTERPOSES
  // An explored thread first runs the function `around` of the explorer, in which its clock may
  // have been made, after all other threads.
  if (interlock_marks.controlled) interlock_clock_forget_others(own);
#endif
  interlock_clock_get(own, object, AS_THREAD, false, true);
}

static void note(thread_record *record, thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->kind) {
    case INTERLOCK_EVENT_WAIT: note_wait(own, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(own, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      // The end of the wait acquires the mutex again.
      if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
        interlock_clock_get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      }
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(own, event); return;
    case INTERLOCK_EVENT_ENQUEUE: note_enqueue(own, event); return;
    case INTERLOCK_EVENT_CANCEL:
      interlock_clock_get_item(own, event->item);
      return;
    case INTERLOCK_EVENT_BEGIN: interlock_clock_begin_block(own, event); return;
    case INTERLOCK_EVENT_END: interlock_clock_end_block(own, event); return;
    case INTERLOCK_EVENT_FORK: interlock_clock_pass(own, object, AS_THREAD, false); return;
    case INTERLOCK_EVENT_START: note_start(own, object); return;
    case INTERLOCK_EVENT_UNFOLLOWED:
      if (event->value) return;
      interlock_clocks_lose_sight(
          "a handler in C, or the notification of a work item, runs code that no event shows");
      return;
    case INTERLOCK_EVENT_CONFIGURE:
      // The queue resumes or is activated: blocks that it then runs come after this.
      if (event->value == -1 || event->value == 0) {
        interlock_clock_pass(own, object, AS_LOCK, false);
      }
      return;
    case INTERLOCK_EVENT_TASK: interlock_clock_note_task(record, own, event); return;
    case INTERLOCK_EVENT_ORDER: note_order(own, event); return;
    default: return;
  }
}

/// True if the thread uses a semaphore as a lock. The order of such uses, as that of a mutex, may
/// differ in another run.
static inline bool is_lock(const thread_record *record, interlock_object_kind kind,
                           uintptr_t object) {
  const order_record *order = &record->order;
  return kind == INTERLOCK_OBJECT_SEMAPHORE && order->semaphore == object &&
         order->semaphore_is_lock;
}

/// True if the thread begins to run other code, or has waited for another thread's signal.
static bool begins_or_is_signalled(const interlock_event *event) {
  switch (event->kind) {
    case INTERLOCK_EVENT_START: return true;
    // The task may have been resumed before it waited: then no part of it begins.
    case INTERLOCK_EVENT_TASK: return event->value == INTERLOCK_TASK_RESUMES;
    case INTERLOCK_EVENT_BEGIN: return event->item || event->flags & INTERLOCK_FLAG_APPLY;
    case INTERLOCK_EVENT_ACQUIRE:
      return event->object_kind == INTERLOCK_OBJECT_CONDITION ||
             event->object_kind == INTERLOCK_OBJECT_SEMAPHORE ||
             event->object_kind == INTERLOCK_OBJECT_GROUP ||
             event->object_kind == INTERLOCK_OBJECT_THREAD ||
             event->object_kind == INTERLOCK_OBJECT_WORK_ITEM;
    default: return false;
  }
}

/// Forgets the clocks of an ended object. Many objects end unseen: then the next object at the
/// address shows it. The thread that makes an object is the only one that knows it, so no thread
/// has released the object yet.
static void note_life(const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  bool has_begun = event->kind == INTERLOCK_EVENT_CREATE;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_ACTOR: interlock_clock_forget(object, AS_ACTOR); return;
    case INTERLOCK_OBJECT_QUEUE:
      interlock_clock_forget(object, AS_CALL);
      interlock_clock_forget(object, AS_RETURN);
      break;
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_CONDITION:
    case INTERLOCK_OBJECT_GROUP: break;
    // A task or a continuation has no clock under its address as a lock.
    default:
      if (has_begun) return;
  }
  // Most objects have no clock.
  if (interlock_clock_is_lock(object)) interlock_clock_forget(object, AS_LOCK);
}

void interlock_clocks_read(thread_record *record, const interlock_event *event) {
  if (interlock_clocks_are_blind()) return;
  // The section tracker's own locks order nothing in the user's code.
  if (interlock_tracker_locks > 0) return;
  // The semaphores and futexes of Dispatch's idle workers order nothing on which a user may rely.
  if (event->object_kind == INTERLOCK_OBJECT_IDLE) return;
  if (event->object_kind == INTERLOCK_OBJECT_FUTEX) return;
  if (event->kind & (INTERLOCK_EVENT_CREATE | INTERLOCK_EVENT_DESTROY)) {
    begin_change();
    note_life(event);
    end_change();
    return;
  }
  thread_clock *own = record->clock;
  if (!own && !(own = interlock_clock_own(record, event))) return;
  begin_change();
  if (own->of_task) {
    own = interlock_clock_now(record, event->kind & (INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END));
  } else if (own->jobs > 0) {
    interlock_clock_come_to_task(own);
  }
  note(record, own, event);
  if (!is_lock(record, event->object_kind, (uintptr_t)event->object)) {
    record->order.steps++;
    if (begins_or_is_signalled(event)) see_main(record);
  }
  end_change();
}

/// A separate function, so that the usual path needs no stack space for an event.
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
  if (!own || own->jobs > 0 || object_kind == INTERLOCK_OBJECT_IDLE ||
      !(kind & usual) || interlock_tracker_locks > 0 || interlock_clocks_are_blind()) {
    read_other(record, kind, object_kind, object, place);
    return;
  }
  begin_change();
  if (kind == INTERLOCK_EVENT_ACQUIRE) {
    acquire_lock(own, object_kind, object, place);
  } else {
    release_lock(own, object_kind, object, place);
  }
  if (object_kind == INTERLOCK_OBJECT_SEMAPHORE && !is_lock(record, object_kind, object)) {
    record->order.steps++;
    if (kind == INTERLOCK_EVENT_ACQUIRE) see_main(record);
  }
  end_change();
}
