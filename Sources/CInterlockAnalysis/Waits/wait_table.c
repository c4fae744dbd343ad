// The wait table: what each event does to the calling thread's waits, held locks and runs.
#include "../thread_record.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

static int started;
static int partial;

void interlock_note_partial(void) { __atomic_store_n(&partial, 1, __ATOMIC_RELAXED); }

static inline void hold(wait_record *record, uintptr_t object, uint32_t kind, uintptr_t place,
                        uintptr_t outer) {
  interlock_thread_view *view = &record->view;
  for (uint32_t index = 0; index < view->held_count; index++) {
    if (view->held[index].object == object && kind != INTERLOCK_OBJECT_SEMAPHORE) {
      view->held[index].count++;
      return;
    }
  }
  if (view->held_count == INTERLOCK_HELD_MOST) {
    view->untold++;
    return;
  }
  view->held[view->held_count++] = (interlock_held){object, place, outer, kind, 1};
}

static bool let_go(wait_record *record, uintptr_t object) {
  interlock_thread_view *view = &record->view;
  for (uint32_t index = view->held_count; index-- > 0;) {
    if (view->held[index].object != object) continue;
    if (--view->held[index].count > 0) return true;
    for (uint32_t next = index + 1; next < view->held_count; next++) {
      view->held[next - 1] = view->held[next];
    }
    view->held_count--;
    return true;
  }
  if (view->untold > 0) view->untold--;
  return false;
}

// What the events do.

static void set_wait(wait_record *record, const interlock_event *event) {
  interlock_thread_view *view = &record->view;
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

static void note_wait(wait_record *record, const interlock_event *event) {
  if (event->object_kind == INTERLOCK_OBJECT_IDLE) interlock_note_idle(record, event->kind);
  set_wait(record, event);
  if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    // It comes back as it was, however often it was taken.
    interlock_thread_view *view = &record->view;
    record->put_aside.object = 0;
    for (uint32_t index = 0; index < view->held_count; index++) {
      if (view->held[index].object != (uintptr_t)event->other) continue;
      record->put_aside = view->held[index];
      view->held[index].count = 1;
      let_go(record, (uintptr_t)event->other);
      break;
    }
  }
  has_changed(record);
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE && !(event->flags & INTERLOCK_FLAG_APPLY)) {
    // A queue that is only ever called synchronously is known from here.
    uintptr_t queue = (uintptr_t)event->object;
    bool is_barrier = event->flags & INTERLOCK_FLAG_BARRIER;
    if (queue != record->last_queue || is_barrier) interlock_queue_called(queue, is_barrier);
    record->last_queue = queue;
    interlock_look_for_self(record, event);
  }
  if (event->object_kind == INTERLOCK_OBJECT_OWNED_FUTEX ||
      event->object_kind == INTERLOCK_OBJECT_ONCE) {
    interlock_look_for_own_word(record, event);
  }
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE ||
      event->object_kind == INTERLOCK_OBJECT_GROUP) {
    interlock_object_waited(event);
  }
}

static void note_acquire(wait_record *record, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  uint32_t waited = record->view.wait_kind;
  record->view.wait_kind = 0;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_ONCE:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      hold(record, object, event->object_kind, event->place, interlock_events_outer(event->frame, event->place));
      break;
    case INTERLOCK_OBJECT_SEMAPHORE: {
      bool after_wait = waited == event->object_kind && record->view.wait_object == object;
      if (interlock_semaphore_acquired(record, event, after_wait)) {
        hold(record, object, event->object_kind, event->place, 0);
      }
      break;
    }
    case INTERLOCK_OBJECT_CONDITION:
      if (record->put_aside.object) {
        interlock_held back = record->put_aside;
        hold(record, back.object, back.kind, back.place, back.outer);
        if (record->view.held_count > 0) {
          record->view.held[record->view.held_count - 1].count = back.count;
        }
        record->put_aside.object = 0;
      }
      break;
    case INTERLOCK_OBJECT_IDLE: interlock_note_idle(record, event->kind); break;
    default: break;
  }
  has_changed(record);
}

static void note_release(wait_record *record, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_ONCE:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      if (!let_go(record, object)) interlock_lock_unlocked_for_another(object);
      has_changed(record);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      // What it had as a lock is not counted: no thread writes to what all share.
      if (record->view.held_count > 0 && let_go(record, object)) {
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

static void note_begin(wait_record *record, const interlock_event *event) {
  uint32_t by = 0;
  if (event->item) {
    // A delayed one has its time where others have the thread.
    if (!(event->flags & INTERLOCK_FLAG_DELAYED)) by = (uint32_t)(event->item->turn & 0x3fffff);
    interlock_item_unlisted(event->item);
    record->idle.has_handled = true;
  }
  interlock_thread_view *view = &record->view;
  if (view->run_count == 0 && event->item) view->pool = interlock_queue_root((uintptr_t)event->object);
  if (view->run_count < INTERLOCK_RUNS_MOST) {
    view->runs[view->run_count] =
        (interlock_run){(uintptr_t)event->object, event->place, by, event->flags,
                        event->item == NULL && !(event->flags & INTERLOCK_FLAG_APPLY),
                        (uintptr_t)event->other, (uintptr_t)event->value,
                        event->item ? (uintptr_t)event->item->function : 0,
                        event->item ? (uintptr_t)event->item->context : 0};
  } else {
    view->untold++;
  }
  view->run_count++;
  view->wait_kind = 0;
  has_changed(record);
}

static void note_end(wait_record *record, const interlock_event *event) {
  (void)event;
  if (record->view.run_count > INTERLOCK_RUNS_MOST && record->view.untold > 0) {
    record->view.untold--;
  }
  if (record->view.run_count > 0) record->view.run_count--;
  record->view.ended++;
  has_changed(record);
}

void interlock_waits_read(wait_record *record, const interlock_event *event) {
  switch (event->kind) {
    case INTERLOCK_EVENT_WAIT: note_wait(record, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(record, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      if (event->object_kind == INTERLOCK_OBJECT_IDLE) interlock_note_idle(record, event->kind);
      record->view.wait_kind = 0;
      has_changed(record);
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(record, event); return;
    case INTERLOCK_EVENT_BEGIN: note_begin(record, event); return;
    case INTERLOCK_EVENT_END: note_end(record, event); return;
    case INTERLOCK_EVENT_POLL: interlock_note_poll(record, event); return;
    default: break;
  }
  has_changed(record);
  switch (event->kind) {
    case INTERLOCK_EVENT_ENQUEUE: interlock_item_listed(event->item); return;
    case INTERLOCK_EVENT_CANCEL: interlock_item_unlisted(event->item); return;
    case INTERLOCK_EVENT_CREATE:
      if (event->object_kind == INTERLOCK_OBJECT_QUEUE) {
        interlock_queue_made(event);
      } else if (event->object_kind == INTERLOCK_OBJECT_MUTEX ||
                 event->object_kind == INTERLOCK_OBJECT_WRITE_LOCK) {
        interlock_lock_made_at(event);
      } else {
        interlock_object_made(event);
      }
      return;
    case INTERLOCK_EVENT_DESTROY: interlock_lock_gone((uintptr_t)event->object); return;
    case INTERLOCK_EVENT_ENTER: interlock_object_entered(event); return;
    case INTERLOCK_EVENT_CONFIGURE: interlock_queue_configured(event); return;
    case INTERLOCK_EVENT_UNFOLLOWED: interlock_note_partial(); return;
    default: return;
  }
}

void interlock_waits_thread_ends(wait_record *record) {
  for (uint32_t index = 0; index < record->view.held_count; index++) {
    interlock_note_left(&record->view.held[index], record->view.number);
  }
  record->view.held_count = 0;
}

void interlock_waits_miss_thread(void) { interlock_note_partial(); }

static void forked(void) {
  __atomic_store_n(&started, 0, __ATOMIC_RELAXED);
  interlock_left_forked();
}

bool interlock_waits_start(void) {
  static int only;
  if (__atomic_exchange_n(&only, 1, __ATOMIC_ACQ_REL)) return interlock_waits_started();
  if (interlock_events_available() == INTERLOCK_EVENTS_NONE_LAYOUT) return false;
  // Blocks may be queued that were not seen.
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) interlock_note_partial();
  interlock_queues_prepare();
  pthread_atfork(NULL, NULL, forked);
  // Release: a thread that sees that it has started sees the layout.
  __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  return interlock_follow(INTERLOCK_PART_WAITS);
}

bool interlock_waits_started(void) { return __atomic_load_n(&started, __ATOMIC_ACQUIRE); }

bool interlock_waits_is_partial(void) { return __atomic_load_n(&partial, __ATOMIC_RELAXED); }

#endif
