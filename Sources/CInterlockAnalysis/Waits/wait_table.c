// The wait table: updates the calling thread's waits, held locks and runs at each event.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

/// Records that the thread has acquired a lock; see `held_lock` for read-write locks.
static inline __attribute__((always_inline)) void hold(thread_record *own,
                                                       const interlock_event *event) {
  held_list *list = &own->held;
  uintptr_t object = (uintptr_t)event->object;
  bool is_shared = event->object_kind == INTERLOCK_OBJECT_READ_LOCK;
  // A semaphore that is acquired twice was signalled by another thread in between.
  if (event->object_kind != INTERLOCK_OBJECT_SEMAPHORE) {
    held_lock *known = find_held(list, object, HELD_BY_THREAD);
    if (known && hold_again(known, HELD_BY_THREAD)) {
      known->is_left = false;
      return;
    }
  }
  if (list->counted[HELD_BY_THREAD] == INTERLOCK_HELD_MOST) {
    own->waits.view.untracked++;
    return;
  }
  held_lock *joined = join_held(list, object, event->place, is_shared, HELD_BY_THREAD);
  if (joined) {
    joined->counts[HELD_BY_THREAD] = 1;
    return;
  }
  add_new_held(list, 1 << HELD_BY_THREAD, object,
               is_shared ? INTERLOCK_OBJECT_WRITE_LOCK : event->object_kind, is_shared, 0,
               event->place, interlock_events_outer(event->frame, event->place));
}

static inline bool let_go(thread_record *own, uintptr_t object) {
  // The usual case.
  if (is_last_held(&own->held, 1 << HELD_BY_THREAD, object)) {
    drop_last_held(&own->held, 1 << HELD_BY_THREAD);
    return true;
  }
  held_lock *known = find_held(&own->held, object, HELD_BY_THREAD);
  if (!known) {
    if (own->waits.view.untracked > 0) own->waits.view.untracked--;
    return false;
  }
  if (known->counts[HELD_BY_THREAD] > 1) {
    known->counts[HELD_BY_THREAD]--;
  } else {
    drop_held(&own->held, known, HELD_BY_THREAD);
  }
  return true;
}

// The handling of each event.

static void set_wait(wait_record *record, const interlock_event *event) {
  wait_view *view = &record->view;
  view->wait_kind = event->object_kind;
  view->wait_flags = event->flags;
  view->wait_object = (uintptr_t)event->object;
  view->wait_other = (uintptr_t)event->other;
  view->wait_place = event->place;
  view->wait_outer = interlock_events_outer(event->frame, event->place);
  view->wait_task = view->wait_actor = 0;
  for (uint32_t index = 0; index < view->run_count && index < INTERLOCK_RUNS_MOST; index++) {
    if (!(view->runs[index].flags & INTERLOCK_FLAG_JOB)) continue;
    view->wait_task = interlock_running_task(&view->wait_actor);
    break;
  }
}

/// Marks the functions that save registers, so that an event pays only for its own part.
#define OUTLINED __attribute__((noinline)) static void

OUTLINED note_wait(thread_record *own, const interlock_event *event) {
  wait_record *record = &own->waits;
  if (event->object_kind == INTERLOCK_OBJECT_IDLE) interlock_note_idle(record, event->kind);
  set_wait(record, event);
  if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    // The end of the wait restores the entry with its count.
    held_lock *mutex = find_held(&own->held, (uintptr_t)event->other, HELD_BY_THREAD);
    record->put_aside.object = 0;
    if (mutex) {
      record->put_aside = *mutex;
      drop_held(&own->held, mutex, HELD_BY_THREAD);
    }
    interlock_object_waited(event);
  }
  has_changed(record);
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE && !(event->flags & INTERLOCK_FLAG_APPLY)) {
    // Adds the queue to the table, because it may never get an asynchronous block.
    uintptr_t queue = (uintptr_t)event->object;
    bool is_barrier = event->flags & INTERLOCK_FLAG_BARRIER;
    if (queue != record->last_queue || is_barrier) interlock_queue_called(queue, is_barrier);
    record->last_queue = queue;
    if (record->view.run_count > 0) interlock_look_for_self(record, event);
    return;
  }
  if (event->object_kind == INTERLOCK_OBJECT_OWNED_FUTEX ||
      event->object_kind == INTERLOCK_OBJECT_ONCE) {
    interlock_look_for_own_word(own, event);
  }
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE ||
      event->object_kind == INTERLOCK_OBJECT_GROUP) {
    interlock_object_waited(event);
  }
}

OUTLINED note_acquire(thread_record *own, const interlock_event *event) {
  wait_record *record = &own->waits;
  uintptr_t object = (uintptr_t)event->object;
  uint32_t waited = record->view.wait_kind;
  record->view.wait_kind = 0;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_ONCE:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      hold(own, event);
      break;
    case INTERLOCK_OBJECT_SEMAPHORE: {
      bool after_wait = waited == event->object_kind && record->view.wait_object == object;
      if (interlock_semaphore_acquired(record, event, after_wait)) {
        hold(own, event);
      }
      break;
    }
    case INTERLOCK_OBJECT_CONDITION:
      if (record->put_aside.object) {
        if (!add_held(&own->held, record->put_aside, HELD_BY_THREAD)) record->view.untracked++;
        record->put_aside.object = 0;
      }
      break;
    case INTERLOCK_OBJECT_IDLE: interlock_note_idle(record, event->kind); break;
    default: break;
  }
  has_changed(record);
}

OUTLINED note_release(thread_record *own, const interlock_event *event) {
  wait_record *record = &own->waits;
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_ONCE:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      if (!let_go(own, object)) interlock_lock_unlocked_for_another(object);
      has_changed(record);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      // Releases of locks are not counted, because all threads would write the same word.
      if (own->held.counted[HELD_BY_THREAD] > 0 && let_go(own, object)) {
        has_changed(record);
        return;
      }
      has_changed(record);
      break;
    default:
      has_changed(record);
  }
  interlock_object_released(event);
}

OUTLINED note_begin(wait_record *record, const interlock_event *event) {
  uint32_t by = 0;
  if (event->item) {
    // In a delayed block, the field for the thread has the due time.
    if (!(event->flags & INTERLOCK_FLAG_DELAYED)) by = (uint32_t)(event->item->turn & 0x3fffff);
    interlock_item_unlisted(event->item);
    record->idle.has_handled = true;
  }
  wait_view *view = &record->view;
  if (view->run_count == 0 && event->item) {
    view->pool = interlock_queue_root((uintptr_t)event->object);
  }
  bool is_part = event->flags & INTERLOCK_FLAG_APPLY;
  if (view->run_count < INTERLOCK_RUNS_MOST) {
    view->runs[view->run_count] =
        (interlock_run){(uintptr_t)event->object, event->place, by, event->flags,
                        event->item == NULL && !is_part,
                        is_part ? 0 : (uintptr_t)event->other, (uintptr_t)event->value,
                        event->item ? (uintptr_t)event->item->function : 0,
                        event->item ? (uintptr_t)event->item->context : 0};
  } else {
    view->untracked++;
  }
  view->run_count++;
  view->wait_kind = 0;
  has_changed(record);
}

static void note_end(thread_record *own) {
  wait_record *record = &own->waits;
  if (record->view.run_count > INTERLOCK_RUNS_MOST && record->view.untracked > 0) {
    record->view.untracked--;
  }
  if (record->view.run_count > 0) record->view.run_count--;
  // Only on a pool's thread: elsewhere, code that began before the block may still unlock.
  if (record->view.run_count == 0 && record->view.pool && own->held.counted[HELD_BY_THREAD] > 0 &&
      !interlock_is_main_thread()) {
    // A task is its own job.
    const interlock_run *ended = &record->view.runs[0];
    uintptr_t task = ended->flags & INTERLOCK_FLAG_JOB ? ended->context : 0;
    interlock_note_kept_locks(own, task);
    leave_held(&own->held, task);
  }
  record->view.ended++;
  has_changed(record);
}

static void note_made(const interlock_event *event) {
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE) {
    interlock_queue_made(event);
  } else if (event->object_kind == INTERLOCK_OBJECT_MUTEX ||
             event->object_kind == INTERLOCK_OBJECT_WRITE_LOCK ||
             event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    interlock_kept_made((uintptr_t)event->object);
    interlock_lock_made_at(event);
    if (event->object_kind == INTERLOCK_OBJECT_CONDITION) interlock_object_reset(event);
  } else {
    interlock_object_made(event);
  }
}

void interlock_waits_read(thread_record *own, const interlock_event *event) {
  wait_record *record = &own->waits;
  // By the number of the bit: one jump through a table.
  switch (__builtin_ctz(event->kind)) {
    case __builtin_ctz(INTERLOCK_EVENT_WAIT): note_wait(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_ACQUIRE): note_acquire(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_GIVE_UP):
      if (event->object_kind == INTERLOCK_OBJECT_IDLE) interlock_note_idle(record, event->kind);
      record->view.wait_kind = 0;
      break;
    case __builtin_ctz(INTERLOCK_EVENT_RELEASE): note_release(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_BEGIN): note_begin(record, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_END): note_end(own); return;
    case __builtin_ctz(INTERLOCK_EVENT_POLL): interlock_note_poll(record, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_ENQUEUE):
      has_changed(record);
      interlock_item_listed(event->item);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_CANCEL):
      has_changed(record);
      interlock_item_unlisted(event->item);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_CREATE):
      has_changed(record);
      note_made(event);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_DESTROY):
      has_changed(record);
      interlock_kept_destroyed((uintptr_t)event->object, event->object_kind);
      interlock_lock_gone((uintptr_t)event->object);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_ENTER):
      has_changed(record);
      interlock_object_entered(event);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_CONFIGURE):
      has_changed(record);
      interlock_queue_configured(event);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_UNFOLLOWED):
      has_changed(record);
      interlock_note_partial();
      return;
    default: break;
  }
  has_changed(record);
}

void interlock_waits_thread_ends(thread_record *own) {
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *lock = &own->held.locks[index];
    if (!lock->counts[HELD_BY_THREAD]) continue;
    if (!lock->is_left) interlock_note_kept(lock, own->waits.view.number, 0);
    interlock_note_left(lock, own->waits.view.number);
  }
}

void interlock_waits_miss_thread(void) { interlock_note_partial(); }

#endif
