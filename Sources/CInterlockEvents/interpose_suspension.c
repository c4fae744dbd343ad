// Tasks that wait for a checked continuation, or for a stream's next element, from when they come
// to the runtime's function on: interpose_awaits.c. Their hand-over to a queue is what lets them go
// on.
#include "interpose_awaits.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

// By address. Each entry is one task's from its exchange on until it gives it back: a task has one
// wait at a time.

typedef struct {
  uintptr_t task;
  interlock_object_kind kind;
  /// In which block of which thread it came in.
  uint32_t thread, block;
} waiting_task;

enum { most_waiting = 1 << 13, probes = 16 };
static waiting_task waiting[most_waiting];
/// As many entries as are taken: most processes never have one.
static uint32_t waiting_count;

static size_t first_probe(uintptr_t task) {
  return (size_t)((task >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

static waiting_task *find(uintptr_t task) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    // Acquire: whoever finds the task finds what it stored before.
    if (__atomic_load_n(&entry->task, __ATOMIC_ACQUIRE) == task) return entry;
  }
  return NULL;
}

static bool remember(uintptr_t task, interlock_object_kind kind) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    uintptr_t nobody = 0;
    // Relaxed where it fails: the next entry is looked at. Acquire: after the last task has left
    // the entry.
    if (__atomic_load_n(&entry->task, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&entry->task, &nobody, task, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    // Read by the task itself alone, whose parts the runtime runs one after the other.
    entry->kind = kind;
    entry->thread = interlock_thread_id();
    entry->block = interlock_blocks_begun;
    // Relaxed: whoever could look for the task has been handed it since.
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
  // One that hands itself on before it has given its thread up has changed its executor, and waits
  // still.
  if (entry->thread == interlock_thread_id() && entry->block == interlock_blocks_begun) return;
  publish(INTERLOCK_EVENT_RELEASE, entry->kind, (uintptr_t)job, 0);
}

bool interlock_suspension_begins(uintptr_t task, uintptr_t resume, interlock_object_kind kind) {
  bool is_within = find(task) != NULL;
  // A wait of which no end would be told is not told of.
  if (!is_within && !remember(task, kind)) return false;
  // The next part of the caller begins at the line of the call: as a return address, one further.
  publish(INTERLOCK_EVENT_CREATE, kind, task, resume + 1);
  return !is_within;
}

void interlock_suspension_ends(uintptr_t task, interlock_object_kind kind) {
  waiting_task *entry = find(task);
  if (!entry) return;
  // Relaxed: see above.
  __atomic_fetch_sub(&waiting_count, 1, __ATOMIC_RELAXED);
  // Release: the next task that takes the entry comes after.
  __atomic_store_n(&entry->task, 0, __ATOMIC_RELEASE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, kind, task, 0);
}

#else
void interlock_job_enqueued(const void *job) { (void)job; }
#endif
#endif
