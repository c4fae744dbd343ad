// The lock-order part of the reader: updates the held list at each event.
#include "order_reader.h"

#include "interlock_runtime.h"

/// Marks the functions that save registers, so that an event pays only for its own part.
#define OUTLINED __attribute__((noinline)) static void

static inline uint32_t kind_of(uint32_t object_kind) {
  return object_kind == INTERLOCK_OBJECT_READ_LOCK ? INTERLOCK_OBJECT_WRITE_LOCK : object_kind;
}

/// True if a semaphore begins at 1. Caches the answer for the last semaphore, because most threads
/// use few.
static bool is_lock_semaphore(order_record *order, uintptr_t object) {
  // Relaxed: see `interlock_lock_made`.
  uint32_t made = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  if (order->semaphore == object && order->semaphores_made == made) {
    return order->semaphore_is_lock;
  }
  order->semaphore_is_lock = interlock_is_lock_semaphore(object);
  order->semaphore_was_given_back = false;
  order->semaphore = object;
  order->semaphores_made = made;
  return order->semaphore_is_lock;
}

// Waits.

/// True if a wait is for another thread's signal, and not for the release of a lock.
static bool is_signal(thread_record *own, const interlock_event *event) {
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_CONDITION: return true;
    case INTERLOCK_OBJECT_GROUP: return !(event->flags & INTERLOCK_FLAG_FREE);
    case INTERLOCK_OBJECT_SEMAPHORE:
      return !is_lock_semaphore(&own->order, (uintptr_t)event->object);
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

OUTLINED note_wait_in_task(thread_record *own, const interlock_event *event) {
  uintptr_t outer = interlock_events_outer(event->frame, event->place);
  bool waits_for_signal = is_signal(own, event);
  if (waits_for_signal || is_wait_for_long(event)) {
    own->order.wait_object = (uintptr_t)event->object;
    own->order.wait_kind = event->object_kind;
    own->order.wait_place = event->place;
    own->order.wait_outer = outer;
  }
  if (waits_for_signal && !(event->flags & INTERLOCK_FLAG_TIME_LIMIT)) {
    interlock_note_incident(own, INTERLOCK_INCIDENT_BLOCKING_WAIT, event->object_kind,
                            (uintptr_t)event->object, event->place, outer, 0, 0);
  } else if (waits_for_signal || is_wait_for_long(event)) {
    own->order.wait_since = interlock_coarse_now();
  }
}

OUTLINED note_sync(thread_record *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object, target;
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    // Dispatch orders these writes before the iterations on other threads.
    interlock_application *call = (interlock_application *)event->other;
    call->caller = own;
    call->is_under_locks = interlock_holds_any(own) || !interlock_knows_held(own);
  }
  // Lets `interlock_note_begin` recognise the block of this call.
  own->order.wait_object = queue;
  own->order.wait_kind = INTERLOCK_OBJECT_QUEUE;
  if (interlock_is_main_queue(queue)) interlock_main_queue_called(own, event->place);
  if (event->flags & INTERLOCK_FLAG_BARRIER) interlock_note_barrier(own, event);
  bool is_outside = interlock_is_outside(own) && !interlock_is_main_queue(queue);
  if (!interlock_holds_any(own) && !is_outside) return;
  uint32_t width = interlock_queue_look(queue, &target);
  if (width == 0) return;
  bool is_shared = interlock_shares_queue(width, event->flags);
  if (is_outside) {
    interlock_main_takes(own, queue, INTERLOCK_OBJECT_QUEUE, is_shared, event->place, 0);
    if (!interlock_holds_any(own)) return;
  }
  if (interlock_is_main_queue(queue)) interlock_main_is_awaited(own, false);
  const held_lock *held = interlock_find_held(own, queue);
  if (held) {
    // A barrier may be enqueued in between. Then this call waits for the barrier, and the barrier
    // waits for the block that this thread runs.
    if (is_shared && held->is_shared) interlock_note_loop(own, *held, true, 0, event->place, 0);
    return;
  }
  interlock_note_order(own, queue, INTERLOCK_OBJECT_QUEUE, is_shared, event->place, 0);
}

/// Records a `Mutex` whose fast path is not seen: it shows only when a thread has to wait.
static void note_wait_for_mutex(const interlock_event *event) {
  if (!interlock_events_is_users(event->place)) return;
  take(&interlock_tables_lock);
  bool is_seen = interlock_find_lock((uintptr_t)event->object, INTERLOCK_OBJECT_OWNED_FUTEX);
  if (!is_seen && !interlock_losses.unseen_mutex) interlock_losses.unseen_mutex = event->place;
  give(&interlock_tables_lock);
}

OUTLINED note_wait(thread_record *own, const interlock_event *event) {
  own->order.wait_since = 0;
  own->order.wait_kind = event->object_kind;
  own->order.wait_flags = event->flags;
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE) note_sync(own, event);
  if (event->object_kind == INTERLOCK_OBJECT_OWNED_FUTEX) note_wait_for_mutex(event);
  if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    // The end of the wait restores the entry with its count.
    own->order.put_aside.object = 0;
    held_lock *mutex = interlock_find_held(own, (uintptr_t)event->other);
    if (mutex) {
      interlock_look_at_hold_time(own, mutex, event->place);
      own->order.put_aside = *mutex;
      interlock_drop(own, mutex);
    }
  }
  if (own->order.jobs > 0) note_wait_in_task(own, event);
}

/// A try-lock or a timed wait cannot deadlock.
enum { limited = INTERLOCK_FLAG_TRIED | INTERLOCK_FLAG_TIME_LIMIT };

OUTLINED note_acquire(thread_record *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  uintptr_t outer = interlock_events_outer(event->frame, event->place);
  interlock_end_wait(own, object);
  if (own->order.jobs > 0) interlock_wait_is_ended(own, event);
  own->order.wait_kind = 0;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_ONCE:
      interlock_take_lock(own, object, kind_of(event->object_kind),
                          event->object_kind == INTERLOCK_OBJECT_READ_LOCK, event->flags,
                          event->place, outer);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (is_lock_semaphore(&own->order, object)) {
        interlock_take_lock(own, object, INTERLOCK_OBJECT_SEMAPHORE, false, event->flags,
                            event->place, outer);
      } else if (interlock_holds_any(own) && !(event->flags & limited)) {
        interlock_waited_for_signal(own, event, outer);
      }
      return;
    case INTERLOCK_OBJECT_GROUP:
    case INTERLOCK_OBJECT_WORK_ITEM:
      if (interlock_holds_any(own) && !(own->order.wait_flags & limited)) {
        interlock_waited_for_signal(own, event, outer);
      }
      return;
    case INTERLOCK_OBJECT_QUEUE:
      if (own->order.call_place) interlock_main_queue_returned(own);
      if (interlock_is_main_queue(object) && interlock_holds_any(own)) {
        interlock_main_is_awaited(own, true);
      }
      return;
    case INTERLOCK_OBJECT_CONDITION:
      if (interlock_holds_any(own) && !(own->order.wait_flags & limited)) {
        interlock_waited_for_signal(own, event, outer);
      }
      if (own->order.put_aside.object) {
        held_lock back = own->order.put_aside;
        own->order.put_aside.object = 0;
        // The wait acquires the mutex again, under the locks that the thread still holds.
        if (interlock_holds_any(own)) {
          interlock_note_order(own, back.object, back.kind, back.is_shared, event->place, outer);
        }
        interlock_hold(own, back);
      }
      return;
    default: return;
  }
}

/// True if the C library releases a lock for any thread. It refuses the call of another thread for
/// a recursive or an error-checking mutex, and Swift does for a `Mutex`.
static bool is_released_by_any(const interlock_event *event) {
  if (event->object_kind == INTERLOCK_OBJECT_MUTEX) {
    return is_plain_mutex((uintptr_t)event->object);
  }
  return event->object_kind == INTERLOCK_OBJECT_WRITE_LOCK;
}

/// The thread releases a lock that it does not hold: another thread left it locked for this one, or
/// the C library refused this thread's second lock call and the thread ignored that. Nothing is
/// known of a lock that the thread took before prediction began.
OUTLINED note_release_of_other(thread_record *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  bool was_left = interlock_unlocked_for_another(object);
  if (is_released_by_any(event) && (was_left || interlock_another_holds(object))) {
    interlock_lock_handed_over(object, event->object_kind);
  }
  held_lock refused = own->order.refused;
  if (refused.object != object) return;
  own->order.refused.object = 0;
  interlock_note_incident(own, INTERLOCK_INCIDENT_RELOCK, refused.kind, object, refused.place,
                          refused.outer, (uintptr_t)refused.since, 0);
}

/// The C library has refused a lock that the thread already holds. That is correct if the thread
/// checks the result, and a fault only if it then releases the lock more often than it acquired it.
static void note_refusal(thread_record *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  const held_lock *known = interlock_find_held(own, object);
  if (!known) return;
  own->order.refused = (held_lock){.object = object,
                               .place = event->place,
                               .outer = interlock_events_outer(event->frame, event->place),
                               .since = known->place,
                               .kind = known->kind};
}

OUTLINED note_release(thread_record *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX:
    case INTERLOCK_OBJECT_ONCE:
      if (!interlock_let_go(own, object, event->place)) note_release_of_other(own, event);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (!is_lock_semaphore(&own->order, object)) {
        if (own->order.jobs > 0) interlock_signalled_by_task(event);
        interlock_note_signalled(own, event, false);
        return;
      }
      bool by_owner = interlock_let_go(own, object, event->place);
      // Recorded once: further calls would only write to shared memory.
      if (by_owner && own->order.semaphore_was_given_back) return;
      interlock_semaphore_signalled(object, by_owner);
      own->order.semaphore_was_given_back = by_owner;
      return;
    case INTERLOCK_OBJECT_GROUP:
    case INTERLOCK_OBJECT_CONDITION:
      if (own->order.jobs > 0) interlock_signalled_by_task(event);
      interlock_note_signalled(own, event, false);
      return;
    default: return;
  }
}

OUTLINED note_give_up(thread_record *own, const interlock_event *event) {
  interlock_end_wait(own, (uintptr_t)event->object);
  own->order.wait_kind = 0;
  if (event->flags & INTERLOCK_FLAG_REFUSED) note_refusal(own, event);
}

/// A lock whose calls tell only an order. The thread holds it, without an order.
OUTLINED note_spin_lock(thread_record *own, const interlock_event *event) {
  if (event->object_kind != INTERLOCK_OBJECT_SPIN_LOCK) return;
  uintptr_t object = (uintptr_t)event->object;
  if (event->value == INTERLOCK_ORDER_RELEASE) {
    interlock_let_go(own, object, 0);
    return;
  }
  held_lock *known = interlock_find_held(own, object);
  if (known && hold_again(known, HELD_IN_ORDER)) return;
  interlock_hold(own, (held_lock){.object = object,
                                  .counts = {[HELD_IN_ORDER] = 1},
                                  .kind = INTERLOCK_OBJECT_SPIN_LOCK});
}

// The reader.

void interlock_order_read(thread_record *own, const interlock_event *event) {
  // By the number of the bit: one jump through a table.
  switch (__builtin_ctz(event->kind)) {
    case __builtin_ctz(INTERLOCK_EVENT_CREATE): interlock_lock_made(event); return;
    case __builtin_ctz(INTERLOCK_EVENT_DESTROY):
      interlock_lock_destroyed((uintptr_t)event->object);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_CONFIGURE):
      // Relaxed: the program itself orders the change of the target before the queue's next use.
      if (event->value == 2) __atomic_fetch_add(&interlock_locks_changed, 1, __ATOMIC_RELAXED);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_ENQUEUE):
      if (event->flags & INTERLOCK_FLAG_BARRIER) interlock_note_barrier(own, event);
      return;
    case __builtin_ctz(INTERLOCK_EVENT_WAIT): note_wait(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_ACQUIRE): note_acquire(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_GIVE_UP): note_give_up(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_RELEASE): note_release(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_BEGIN): interlock_note_begin(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_END): interlock_note_end(own, event); return;
    case __builtin_ctz(INTERLOCK_EVENT_ORDER): note_spin_lock(own, event); return;
    default: return;
  }
}
