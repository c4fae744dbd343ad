// Tasks that wait for a checked continuation or for a stream's next element. A wait begins with the
// task's call of the runtime's function (interpose_awaits.c), and ends when the task's job is
// enqueued.
#include "../Awaits/interpose_awaits.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

// The waiting tasks, by address. An entry belongs to one task from the compare-exchange until the
// task frees it, because a task has one wait at a time.

typedef struct {
  uintptr_t task;
  interlock_object_kind kind;
  /// The task's thread when the wait began, and the number of blocks that the thread had begun.
  uint32_t thread, block;
} waiting_task;

enum { most_waiting = 1 << 13, probes = 16 };
static waiting_task waiting[most_waiting];
/// The number of entries in use: most processes never have one.
static uint32_t waiting_count;

static size_t first_probe(uintptr_t task) {
  return (size_t)((task >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

static waiting_task *find(uintptr_t task) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    // Acquire: a thread that finds the task sees what the task stored before.
    if (__atomic_load_n(&entry->task, __ATOMIC_ACQUIRE) == task) return entry;
  }
  return NULL;
}

static bool remember(uintptr_t task, interlock_object_kind kind) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    uintptr_t free_entry = 0;
    // Relaxed on failure: the next entry is tried. Acquire: pairs with the release in
    // `interlock_suspension_ends`.
    if (__atomic_load_n(&entry->task, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&entry->task, &free_entry, task, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    // Read only by the task itself, whose parts the runtime runs one after another.
    entry->kind = kind;
    entry->thread = interlock_thread_id();
    entry->block = interlock_blocks_begun;
    // Relaxed: a thread that looks for the task received the task after this.
    __atomic_fetch_add(&waiting_count, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

static void publish(interlock_event_kind kind, interlock_object_kind object_kind, uintptr_t task,
                    uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = object_kind,
                           .object = (const void *)task,
                           .place = place};
  interlock_publish(&event);
}

void interlock_job_enqueued(const void *job) {
  if (__atomic_load_n(&waiting_count, __ATOMIC_RELAXED) == 0) return;
  const waiting_task *entry = find((uintptr_t)job);
  if (!entry) return;
  // A task that enqueues itself while it still has its thread has switched its executor, and still
  // waits.
  if (entry->thread == interlock_thread_id() && entry->block == interlock_blocks_begun) return;
  publish(INTERLOCK_EVENT_RELEASE, entry->kind, (uintptr_t)job, 0);
}

bool interlock_suspension_begins(uintptr_t task, uintptr_t resume, interlock_object_kind kind) {
  bool is_within = find(task) != NULL;
  // Do not publish a wait whose end could not be published.
  if (!is_within && !remember(task, kind)) return false;
  // The caller's next part begins on the line of the call. Add one byte, so that the address counts
  // as a return address.
  publish(INTERLOCK_EVENT_CREATE, kind, task, resume + 1);
  return !is_within;
}

void interlock_suspension_ends(uintptr_t task, interlock_object_kind kind) {
  waiting_task *entry = find(task);
  if (!entry) return;
  // Relaxed: see `remember`.
  __atomic_fetch_sub(&waiting_count, 1, __ATOMIC_RELAXED);
  // Release: pairs with the acquire in `remember`.
  __atomic_store_n(&entry->task, 0, __ATOMIC_RELEASE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, kind, task, 0);
}

#else
void interlock_job_enqueued(const void *job) { (void)job; }
#endif
#endif
