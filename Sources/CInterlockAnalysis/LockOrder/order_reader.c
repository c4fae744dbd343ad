// The part of the reader for lock orders: what each event does to what the thread holds.
#include "order_reader.h"

#include "interlock_runtime.h"


static inline uint32_t kind_of(uint32_t object_kind) {
  return object_kind == INTERLOCK_OBJECT_READ_LOCK ? INTERLOCK_OBJECT_WRITE_LOCK : object_kind;
}

/// Whether a semaphore begins at 1. The last one is kept: most threads use few.
static bool is_lock_semaphore(order_record *state, uintptr_t object) {
  // Relaxed: whoever is handed a new semaphore has been told of it in an order of its own.
  uint32_t made = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  if (state->semaphore == object && state->semaphores_made == made) return state->semaphore_is_lock;
  state->semaphore_is_lock = interlock_is_lock_semaphore(object);
  state->semaphore_was_given_back = false;
  state->semaphore = object;
  state->semaphores_made = made;
  return state->semaphore_is_lock;
}

// Waits.

/// Whether a wait is for what another thread does, and not for a lock that will be given back.
static bool is_signal(order_record *state, const interlock_event *event) {
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_CONDITION: return true;
    case INTERLOCK_OBJECT_GROUP: return !(event->flags & INTERLOCK_FLAG_FREE);
    case INTERLOCK_OBJECT_SEMAPHORE: return !is_lock_semaphore(state, (uintptr_t)event->object);
    default: return false;
  }
}

static bool is_wait_for_long(const interlock_event *event) {
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_QUEUE:
    case INTERLOCK_OBJECT_THREAD: return true;
    default: return false;
  }
}

static void note_wait_in_task(order_record *state, const interlock_event *event) {
  uintptr_t outer = interlock_events_outer(event->frame, event->place);
  bool waits_for_signal = is_signal(state, event);
  if (waits_for_signal && !(event->flags & INTERLOCK_FLAG_TIME_LIMIT)) {
    interlock_note_incident(state, INTERLOCK_INCIDENT_BLOCKING_WAIT, event->object_kind,
                            (uintptr_t)event->object, event->place, outer, 0, 0);
  } else if (waits_for_signal || is_wait_for_long(event)) {
    state->wait_object = (uintptr_t)event->object;
    state->wait_kind = event->object_kind;
    state->wait_place = event->place;
    state->wait_outer = outer;
    state->wait_since = interlock_coarse_now();
  }
}

void interlock_end_long_wait(order_record *state, uintptr_t object) {
  if (state->wait_object != object) return;
  uint64_t waited = interlock_coarse_now() - state->wait_since;
  state->wait_since = 0;
  if (waited < interlock_limits.blocked_limit) return;
  interlock_note_incident(state, INTERLOCK_INCIDENT_BLOCKING_WAIT, state->wait_kind,
                          state->wait_object, state->wait_place, state->wait_outer, 0, waited);
}

static void note_sync(order_record *state, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object, target;
  // The block of the call that this thread makes is its own.
  state->wait_object = queue;
  state->wait_kind = INTERLOCK_OBJECT_QUEUE;
  if (interlock_is_main_queue(queue)) interlock_main_queue_called(state, event->place);
  if (event->flags & INTERLOCK_FLAG_BARRIER) interlock_note_barrier(state, event);
  if (state->held_count == 0) return;
  uint32_t width = interlock_queue_look(queue, &target);
  if (width == 0) return;
  bool is_shared = interlock_shares_queue(width, event->flags);
  const held_lock *held = interlock_find_held(state, queue);
  if (held) {
    // A barrier may come between, for which this call waits, and which waits for the block that
    // this thread is in.
    if (is_shared && held->is_shared) interlock_note_loop(state, *held, true, 0, event->place, 0);
    return;
  }
  interlock_note_order(state, queue, INTERLOCK_OBJECT_QUEUE, is_shared, event->place, 0);
}

/// A `Mutex` that is locked where no call shows it is seen only when a thread has to wait.
static void note_wait_for_mutex(const interlock_event *event) {
  if (!interlock_events_is_users(event->place)) return;
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  bool is_seen = interlock_find_lock((uintptr_t)event->object, INTERLOCK_OBJECT_OWNED_FUTEX);
  if (!is_seen && !interlock_losses.unseen_mutex) interlock_losses.unseen_mutex = event->place;
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
}

static void note_wait(order_record *state, const interlock_event *event) {
  state->wait_since = 0;
  state->wait_kind = event->object_kind;
  state->wait_flags = event->flags;
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE) note_sync(state, event);
  if (event->object_kind == INTERLOCK_OBJECT_OWNED_FUTEX) note_wait_for_mutex(event);
  if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    // It comes back as it was, however often it was taken.
    state->put_aside.object = 0;
    held_lock *mutex = interlock_find_held(state, (uintptr_t)event->other);
    if (mutex) {
      interlock_look_at_hold_time(state, mutex, event->place);
      state->put_aside = *mutex;
      interlock_drop(state, mutex);
    }
  }
  if (state->jobs > 0) note_wait_in_task(state, event);
}

/// Who only tries, or waits with a limit, goes on.
enum { limited = INTERLOCK_FLAG_TRIED | INTERLOCK_FLAG_TIME_LIMIT };

static void note_acquire(order_record *state, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  uintptr_t outer = interlock_events_outer(event->frame, event->place);
  interlock_end_wait(state, object);
  state->wait_kind = 0;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_ONCE:
      interlock_take_lock(state, object, kind_of(event->object_kind),
                          event->object_kind == INTERLOCK_OBJECT_READ_LOCK, event->flags, event->place, outer);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (is_lock_semaphore(state, object)) {
        interlock_take_lock(state, object, INTERLOCK_OBJECT_SEMAPHORE, false, event->flags, event->place,
                            outer);
      } else if (state->held_count > 0 && !(event->flags & limited)) {
        interlock_waited_for_signal(state, event, outer);
      }
      return;
    case INTERLOCK_OBJECT_GROUP:
    case INTERLOCK_OBJECT_WORK_ITEM:
      if (state->held_count > 0 && !(state->wait_flags & limited)) {
        interlock_waited_for_signal(state, event, outer);
      }
      return;
    case INTERLOCK_OBJECT_QUEUE:
      if (state->call_place) interlock_main_queue_returned(state);
      return;
    case INTERLOCK_OBJECT_CONDITION:
      if (state->held_count > 0 && !(state->wait_flags & limited)) {
        interlock_waited_for_signal(state, event, outer);
      }
      if (state->put_aside.object) {
        held_lock back = state->put_aside;
        state->put_aside.object = 0;
        // It is waited for here, whatever was taken meanwhile.
        if (state->held_count > 0) {
          interlock_note_order(state, back.object, back.kind, back.is_shared, event->place, outer);
        }
        interlock_hold(state, back);
      }
      return;
    default: return;
  }
}

/// Of a lock that the thread does not hold: another left it, or the thread counts a refused call
/// for one that locked.
static void note_release_of_other(order_record *state, uintptr_t object) {
  interlock_unlocked_for_another(object);
  held_lock refused = state->refused;
  if (refused.object != object) return;
  state->refused.object = 0;
  interlock_note_incident(state, INTERLOCK_INCIDENT_RELOCK, refused.kind, object, refused.place,
                          refused.outer, (uintptr_t)refused.since, 0);
}

/// The C library has refused a lock that the thread holds. That is in order where the thread looks
/// at the result: a mistake only once it gives the lock up more often than it has taken it.
static void note_refusal(order_record *state, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  const held_lock *known = interlock_find_held(state, object);
  if (!known) return;
  state->refused = (held_lock){.object = object,
                               .place = event->place,
                               .outer = interlock_events_outer(event->frame, event->place),
                               .since = known->place,
                               .kind = known->kind};
}

static void note_release(order_record *state, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_ONCE:
      if (!interlock_let_go(state, object, event->place)) note_release_of_other(state, object);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (!is_lock_semaphore(state, object)) {
        interlock_signalled(state, event, false);
        return;
      }
      bool by_owner = interlock_let_go(state, object, event->place);
      // Once is enough: no thread writes to what all share.
      if (by_owner && state->semaphore_was_given_back) return;
      interlock_semaphore_signalled(object, by_owner);
      state->semaphore_was_given_back = by_owner;
      return;
    case INTERLOCK_OBJECT_GROUP:
    case INTERLOCK_OBJECT_CONDITION: interlock_signalled(state, event, false); return;
    default: return;
  }
}

// The reader.

void interlock_order_read(order_record *state, const interlock_event *event) {
  switch (event->kind) {
    case INTERLOCK_EVENT_CREATE: interlock_lock_made(event); return;
    case INTERLOCK_EVENT_DESTROY:
      interlock_events_hide_thread(true);
      interlock_lock_destroyed((uintptr_t)event->object);
      interlock_events_hide_thread(false);
      return;
    case INTERLOCK_EVENT_CONFIGURE:
      // Relaxed: a thread that uses the queue under its new target has been told of it in an order
      // of its own.
      if (event->value == 2) __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
      return;
    case INTERLOCK_EVENT_ENQUEUE:
      if (!(event->flags & INTERLOCK_FLAG_BARRIER)) return;
      break;
    default: break;
  }
  switch (event->kind) {
    case INTERLOCK_EVENT_ENQUEUE: interlock_note_barrier(state, event); return;
    case INTERLOCK_EVENT_WAIT: note_wait(state, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(state, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      interlock_end_wait(state, (uintptr_t)event->object);
      state->wait_kind = 0;
      if (event->flags & INTERLOCK_FLAG_REFUSED) note_refusal(state, event);
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(state, event); return;
    case INTERLOCK_EVENT_BEGIN: interlock_note_begin(state, event); return;
    case INTERLOCK_EVENT_END: interlock_note_end(state, event); return;
    default: return;
  }
}
