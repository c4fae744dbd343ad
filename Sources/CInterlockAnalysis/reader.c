// The reader of the events: feeds the calling thread's record once for each event, for all parts.
// In C: it is called within every lock of the process, before Swift's runtime may be up, and must
// neither allocate there nor take a lock that is interposed.
#include "LockOrder/simple_locks.h"
#include "Waits/wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

/// Which parts follow, and the lock under which that changes.
static uint32_t parts;
static int parts_lock;

enum {
  all_parts = INTERLOCK_PART_WAITS | INTERLOCK_PART_ORDER | INTERLOCK_PART_CLOCKS,
  // Which thread starts another is nothing to wait for.
  waits_kinds = ~(INTERLOCK_EVENT_FORK | INTERLOCK_EVENT_START),
  order_kinds = INTERLOCK_EVENT_CREATE | INTERLOCK_EVENT_DESTROY | INTERLOCK_EVENT_WAIT |
                INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE |
                INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END | INTERLOCK_EVENT_CONFIGURE |
                INTERLOCK_EVENT_ENQUEUE,
  clocks_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP |
                 INTERLOCK_EVENT_RELEASE | INTERLOCK_EVENT_ENQUEUE | INTERLOCK_EVENT_CANCEL |
                 INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END | INTERLOCK_EVENT_FORK |
                 INTERLOCK_EVENT_START | INTERLOCK_EVENT_UNFOLLOWED |
                 INTERLOCK_EVENT_CONFIGURE | INTERLOCK_EVENT_DESTROY | INTERLOCK_EVENT_TASK |
                 INTERLOCK_EVENT_ORDER,
};

static uint32_t kinds_of(uint32_t parts) {
  return (parts & INTERLOCK_PART_WAITS ? (uint32_t)waits_kinds : 0) |
         (parts & INTERLOCK_PART_ORDER ? order_kinds : 0) |
         (parts & INTERLOCK_PART_CLOCKS ? clocks_kinds : 0);
}

/// There is no record for a thread: no part knows any more what it must.
static void miss_thread(void) {
  interlock_waits_miss_thread();
  interlock_order_miss_thread();
  interlock_clocks_lose_sight("there was no memory for the record of a thread");
}

/// Whether an event of a mutex or a semaphore changes the held list in one step, for these readers:
/// the thread acquires a lock that it does not hold, or releases what it acquired last.
__attribute__((always_inline)) static inline bool is_one_step(
    thread_record *own, uint32_t readers, interlock_event_kind kind,
    interlock_object_kind object_kind, uintptr_t object) {
  if (kind == INTERLOCK_EVENT_RELEASE) return is_last_held(&own->held, readers, object);
  return kind == INTERLOCK_EVENT_ACQUIRE && interlock_waits_is_simple(own, object_kind, object);
}

/// Changes it so.
__attribute__((always_inline)) static inline void change_held(
    thread_record *own, uint32_t readers, interlock_event_kind kind,
    interlock_object_kind object_kind, uintptr_t object, uintptr_t place, uintptr_t frame) {
  if (kind == INTERLOCK_EVENT_ACQUIRE) {
    uint32_t run = readers & 1 << HELD_IN_ORDER ? innermost_run(own) : 0;
    uintptr_t outer = interlock_events_outer(frame, place);
    add_new_held(&own->held, readers, object, object_kind, false, run, place, outer);
    if (readers & 1 << HELD_IN_ORDER) own->order.wait_kind = 0;
  } else {
    drop_last_held(&own->held, readers);
  }
}

// Only the waits: what a process has that hangs, and predicts nothing.

__attribute__((noinline)) static void read_first_wait(const interlock_event *event) {
  thread_record *own = interlock_claim_record();
  if (own) {
    interlock_waits_read(own, event);
  } else {
    miss_thread();
  }
}

static void read_waits(const interlock_event *event, void *context) {
  (void)context;
  thread_record *own = interlock_own_record;
  if (own) {
    interlock_waits_read(own, event);
  } else {
    read_first_wait(event);
  }
}

/// In a function of its own: most events of locks need no room for an event.
__attribute__((noinline)) static void read_other_wait(interlock_event_kind kind,
                                                      interlock_object_kind object_kind,
                                                      const void *object, uint32_t flags,
                                                      uintptr_t place, uintptr_t frame) {
  interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
  read_waits(&event, NULL);
}

static void read_lock_waits(interlock_event_kind kind, interlock_object_kind object_kind,
                            const void *object, uint32_t flags, uintptr_t place,
                            uintptr_t frame) {
  enum { readers = 1 << HELD_BY_THREAD };
  thread_record *own = interlock_own_record;
  if (!own || !is_one_step(own, readers, kind, object_kind, (uintptr_t)object)) {
    read_other_wait(kind, object_kind, object, flags, place, frame);
    return;
  }
  change_held(own, readers, kind, object_kind, (uintptr_t)object, place, frame);
  interlock_waits_note_lock(own, kind);
}

// Several parts.

/// The order comes before the waits, which count the event: a thread that copies the held list and
/// finds the same count has not copied it half changed. The clocks come after the order: a
/// signaller's epoch is that before it signals.
static void read_parts(const interlock_event *event, void *context) {
  (void)context;
  // Relaxed: a part that begins to follow reads the next event.
  uint32_t wanted = __atomic_load_n(&parts, __ATOMIC_RELAXED);
  thread_record *own = own_record();
  if (!own) {
    miss_thread();
    return;
  }
  if ((wanted & INTERLOCK_PART_ORDER) && (event->kind & order_kinds)) {
    interlock_order_read(own, event);
  }
  if ((wanted & INTERLOCK_PART_WAITS) && (event->kind & waits_kinds)) {
    interlock_waits_read(own, event);
  }
  if ((wanted & INTERLOCK_PART_CLOCKS) && (event->kind & clocks_kinds)) {
    interlock_clocks_read(own, event);
  }
}

__attribute__((noinline)) static void read_other_lock(interlock_event_kind kind,
                                                      interlock_object_kind object_kind,
                                                      const void *object, uint32_t flags,
                                                      uintptr_t place, uintptr_t frame) {
  interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
  thread_record *own = interlock_own_record;
  if (!own || __atomic_load_n(&parts, __ATOMIC_RELAXED) != all_parts) {
    read_parts(&event, NULL);
    return;
  }
  interlock_order_read(own, &event);
  interlock_waits_read(own, &event);
  interlock_clocks_read_lock(own, kind, object_kind, (uintptr_t)object, place);
}

static void read_lock_parts(interlock_event_kind kind, interlock_object_kind object_kind,
                            const void *object, uint32_t flags, uintptr_t place,
                            uintptr_t frame) {
  enum { readers = 1 << HELD_BY_THREAD | 1 << HELD_IN_ORDER };
  thread_record *own = interlock_own_record;
  if (!own || __atomic_load_n(&parts, __ATOMIC_RELAXED) != all_parts ||
      !interlock_order_is_simple(own, kind, object_kind, (uintptr_t)object) ||
      !is_one_step(own, readers, kind, object_kind, (uintptr_t)object)) {
    read_other_lock(kind, object_kind, object, flags, place, frame);
    return;
  }
  change_held(own, readers, kind, object_kind, (uintptr_t)object, place, frame);
  interlock_waits_note_lock(own, kind);
  interlock_clocks_read_lock(own, kind, object_kind, (uintptr_t)object, place);
}

static void thread_ends(thread_record *own) {
  interlock_waits_thread_ends(own);
  interlock_order_thread_ends(own);
  clear_held(&own->held);
  if (own->clock) interlock_clock_thread_ends(own->clock);
  own->clock = NULL;
}

static void forked(void) {
  // The other threads are not here; their records, and the locks that they held, are.
  interlock_events_remove(read_waits, NULL);
  interlock_events_remove(read_parts, NULL);
  parts = 0;
  parts_lock = 0;
  interlock_records_forked();
}

/// Adds the reader for these parts, or puts it in the place of that for those before.
static bool set_reader(uint32_t before, uint32_t now) {
  bool is_waits = now == INTERLOCK_PART_WAITS;
  interlock_reader reader = is_waits ? read_waits : read_parts;
  interlock_lock_reader locks = is_waits ? read_lock_waits : read_lock_parts;
  if (!before) return interlock_events_add_leaf(reader, locks, kinds_of(now));
  interlock_reader old = before == INTERLOCK_PART_WAITS ? read_waits : read_parts;
  return interlock_events_replace(old, reader, locks, kinds_of(now));
}

bool interlock_follow(interlock_part part) {
  static bool is_prepared;
  interlock_events_hide_thread(true);
  take(&parts_lock);
  uint32_t before = parts;
  if (!is_prepared) {
    is_prepared = interlock_records_prepare(thread_ends) && !pthread_atfork(NULL, NULL, forked);
  }
  __atomic_store_n(&parts, before | part, __ATOMIC_RELAXED);
  bool follows = is_prepared && set_reader(before, before | part);
  if (!follows) __atomic_store_n(&parts, before, __ATOMIC_RELAXED);
  give(&parts_lock);
  interlock_events_hide_thread(false);
  return follows;
}

#endif
