// The reader of the events: updates the calling thread's record once for each event, for all parts.
// In C, because it runs inside every lock call of the process, perhaps before Swift's runtime is
// ready, and must neither allocate there nor take a lock that is interposed.
#include "LockOrder/simple_locks.h"
#include "VectorClocks/clock_node.h"
#include "Waits/wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

/// The parts that follow the events, and the lock for changes of this set.
static uint32_t parts;
static int parts_lock;

enum {
  /// All readers of the held list, which are active if all parts are.
  in_parts = 1 << HELD_BY_THREAD | 1 << HELD_IN_ORDER,
  all_parts = INTERLOCK_PART_WAITS | INTERLOCK_PART_ORDER | INTERLOCK_PART_CLOCKS,
  // Excludes thread starts, because no thread waits for the start of another.
  waits_kinds = ~(INTERLOCK_EVENT_FORK | INTERLOCK_EVENT_START),
  order_kinds = INTERLOCK_EVENT_CREATE | INTERLOCK_EVENT_DESTROY | INTERLOCK_EVENT_WAIT |
                INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE |
                INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END | INTERLOCK_EVENT_CONFIGURE |
                INTERLOCK_EVENT_ENQUEUE | INTERLOCK_EVENT_ORDER,
  clocks_kinds = INTERLOCK_EVENT_CREATE | INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                 INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE | INTERLOCK_EVENT_ENQUEUE |
                 INTERLOCK_EVENT_CANCEL | INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END |
                 INTERLOCK_EVENT_FORK | INTERLOCK_EVENT_START | INTERLOCK_EVENT_UNFOLLOWED |
                 INTERLOCK_EVENT_CONFIGURE | INTERLOCK_EVENT_DESTROY | INTERLOCK_EVENT_TASK |
                 INTERLOCK_EVENT_ORDER,
};

static uint32_t kinds_of(uint32_t parts) {
  return (parts & INTERLOCK_PART_WAITS ? (uint32_t)waits_kinds : 0) |
         (parts & INTERLOCK_PART_ORDER ? order_kinds : 0) |
         (parts & INTERLOCK_PART_CLOCKS ? clocks_kinds : 0);
}

/// Notifies each part that an event is not read, so that the part's data is incomplete.
__attribute__((noinline)) static void miss(const char *reason) {
  interlock_waits_miss_thread();
  interlock_order_miss_thread();
  interlock_clocks_lose_sight(reason);
}

static void miss_thread(void) { miss("there was no memory for the record of a thread"); }

/// Begins to read an event; `end_change` ends it. Signals wait meanwhile. Returns false in the
/// handler of a signal that does not wait, because the record is half changed.
static inline bool begin_reading(void) {
  if (__builtin_expect(is_in_change(), 0)) {
    miss("a signal's handler met the reader at work");
    return false;
  }
  begin_change();
  return true;
}

/// True if an event of a mutex or a semaphore changes the held list in one step, for these readers:
/// the thread acquires a lock that it does not hold, or releases the lock that it acquired last.
__attribute__((always_inline)) static inline bool is_one_step(
    thread_record *own, uint32_t readers, interlock_event_kind kind,
    interlock_object_kind object_kind, uintptr_t object) {
  if (kind == INTERLOCK_EVENT_RELEASE) return is_last_held(&own->held, readers, object);
  return kind == INTERLOCK_EVENT_ACQUIRE && interlock_waits_is_simple(own, object_kind, object);
}

/// Makes that one step.
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

// Reads an event if only the waits follow, because prediction is off.

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
  if (!begin_reading()) return;
  thread_record *own = interlock_own_record;
  if (own) {
    interlock_waits_read(own, event);
  } else {
    read_first_wait(event);
  }
  end_change();
}

/// A separate function, so that the usual path needs no stack space for an event.
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
  // A handler that runs during the step below does not see the step half done: see `held_list`.
  if (!own || is_in_change() ||
      !is_one_step(own, readers, kind, object_kind, (uintptr_t)object)) {
    read_other_wait(kind, object_kind, object, flags, place, frame);
    return;
  }
  change_held(own, readers, kind, object_kind, (uintptr_t)object, place, frame);
  interlock_waits_note_lock(own, kind);
}

// Readers for several parts.

/// The order goes first: the waits count the event, so another thread that copies the held list and
/// finds the count unchanged has not copied a half-made change. The clocks go after the order,
/// which records the signaller's epoch before the signal.
__attribute__((always_inline)) static inline void read_for(uint32_t wanted, thread_record *own,
                                                           const interlock_event *event) {
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

/// A separate function, so that the usual path saves fewer registers.
__attribute__((noinline)) static void read_first(uint32_t wanted, const interlock_event *event) {
  thread_record *own = own_record();
  if (own) {
    read_for(wanted, own, event);
  } else {
    miss_thread();
  }
}

static void read_parts(const interlock_event *event, void *context) {
  (void)context;
  // Relaxed: a part that begins to follow reads the next event.
  uint32_t wanted = __atomic_load_n(&parts, __ATOMIC_RELAXED);
  if (!begin_reading()) return;
  thread_record *own = interlock_own_record;
  // With prediction, all parts follow: the usual path then tests none.
  if (own && wanted == all_parts) {
    read_for(all_parts, own, event);
  } else {
    read_first(wanted, event);
  }
  end_change();
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
  if (!begin_reading()) return;
  interlock_order_read(own, &event);
  interlock_waits_read(own, &event);
  interlock_clocks_read_lock(own, kind, object_kind, (uintptr_t)object, place);
  end_change();
}

/// Reads the usual event of a lock, once the parts agree that it changes the held list in one step.
__attribute__((always_inline)) static inline void read_usual_lock(
    thread_record *own, interlock_event_kind kind, interlock_object_kind object_kind,
    uintptr_t object, uintptr_t place, uintptr_t frame) {
  change_held(own, in_parts, kind, object_kind, object, place, frame);
  interlock_waits_note_lock(own, kind);
  if (object_kind == INTERLOCK_OBJECT_MUTEX &&
      interlock_clocks_read_again(own->clock, kind, object)) {
    return;
  }
  interlock_clocks_read_lock(own, kind, object_kind, object, place);
}

/// A separate function, so that a lock under no other saves fewer registers.
__attribute__((noinline)) static void read_inner_lock(interlock_event_kind kind,
                                                      interlock_object_kind object_kind,
                                                      const void *object, uint32_t flags,
                                                      uintptr_t place, uintptr_t frame) {
  thread_record *own = interlock_own_record;
  if (!own || is_in_change() || __atomic_load_n(&parts, __ATOMIC_RELAXED) != all_parts ||
      !interlock_order_is_known(own, kind, object_kind, (uintptr_t)object, place, frame) ||
      !is_one_step(own, in_parts, kind, object_kind, (uintptr_t)object)) {
    read_other_lock(kind, object_kind, object, flags, place, frame);
    return;
  }
  read_usual_lock(own, kind, object_kind, (uintptr_t)object, place, frame);
}

static void read_lock_parts(interlock_event_kind kind, interlock_object_kind object_kind,
                            const void *object, uint32_t flags, uintptr_t place,
                            uintptr_t frame) {
  thread_record *own = interlock_own_record;
  if (!own || is_in_change() || __atomic_load_n(&parts, __ATOMIC_RELAXED) != all_parts ||
      !interlock_order_is_simple(own, kind, object_kind, (uintptr_t)object) ||
      !is_one_step(own, in_parts, kind, object_kind, (uintptr_t)object)) {
    read_inner_lock(kind, object_kind, object, flags, place, frame);
    return;
  }
  read_usual_lock(own, kind, object_kind, (uintptr_t)object, place, frame);
}

/// Reads an event if only the waits and the clocks follow: races in memory are checked, and
/// prediction is off.
static void read_lock_clocks(interlock_event_kind kind, interlock_object_kind object_kind,
                             const void *object, uint32_t flags, uintptr_t place,
                             uintptr_t frame) {
  enum { readers = 1 << HELD_BY_THREAD, both = INTERLOCK_PART_WAITS | INTERLOCK_PART_CLOCKS };
  thread_record *own = interlock_own_record;
  if (!own || is_in_change() || __atomic_load_n(&parts, __ATOMIC_RELAXED) != both ||
      !is_one_step(own, readers, kind, object_kind, (uintptr_t)object)) {
    interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
    read_parts(&event, NULL);
    return;
  }
  change_held(own, readers, kind, object_kind, (uintptr_t)object, place, frame);
  interlock_waits_note_lock(own, kind);
  if (object_kind == INTERLOCK_OBJECT_MUTEX &&
      interlock_clocks_read_again(own->clock, kind, (uintptr_t)object)) {
    return;
  }
  interlock_clocks_read_lock(own, kind, object_kind, (uintptr_t)object, place);
}

static void thread_ends(thread_record *own) {
  // Another thread may take the clock from now on.
  if (own == interlock_own_record && interlock_memory_thread_ends) interlock_memory_thread_ends();
  interlock_waits_thread_ends(own);
  interlock_order_thread_ends(own);
  clear_held(&own->held);
  while (own->clock != own->base) interlock_clock_task_leaves(own);
  if (own->base) interlock_clock_thread_ends(own->base);
  own->clock = own->base = own->caller = NULL;
}

static void forked(void) {
  // The child has the records of the other threads, and the locks that they held, but not the
  // threads.
  interlock_events_remove(read_waits, NULL);
  interlock_events_remove(read_parts, NULL);
  parts = 0;
  parts_lock = 0;
  interlock_records_forked();
}

/// Adds the reader for the parts `now`, or replaces the reader for the parts `before` by it.
static bool set_reader(uint32_t before, uint32_t now) {
  bool is_waits = now == INTERLOCK_PART_WAITS;
  interlock_reader reader = is_waits ? read_waits : read_parts;
  interlock_lock_reader locks = is_waits                        ? read_lock_waits
                                : now & INTERLOCK_PART_ORDER ? read_lock_parts
                                                                : read_lock_clocks;
  if (!before) return interlock_events_add_leaf(reader, locks, kinds_of(now));
  interlock_reader old = before == INTERLOCK_PART_WAITS ? read_waits : read_parts;
  return interlock_events_replace(old, reader, locks, kinds_of(now));
}

bool interlock_follow(interlock_part part) {
  static bool is_prepared;
  take(&parts_lock);
  uint32_t before = parts;
  if (!is_prepared) {
    is_prepared = interlock_records_prepare(thread_ends) && !pthread_atfork(NULL, NULL, forked);
  }
  __atomic_store_n(&parts, before | part, __ATOMIC_RELAXED);
  bool follows = is_prepared && set_reader(before, before | part);
  if (!follows) __atomic_store_n(&parts, before, __ATOMIC_RELAXED);
  give(&parts_lock);
  return follows;
}

#endif
