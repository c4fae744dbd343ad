// Compare-exchanges that may fail although they find the expected value.
//
// The compiler's instrumentation makes the same call for a weak and for a strong exchange; only the
// name in the source tells them apart. An exchange at a new call site ends the exploration, the
// caller reads the source, and the exploration begins anew. Child processes add call sites too, so
// the table is in shared memory.
//
// The call returns the value that the exchange has found, and the code compares it with the
// expected value. An exchange that fails by itself therefore returns to a copy of that code
// (exchange_stubs.c).
//
// A weak exchange fails by itself at most once for each thread, or task, and call site: a loop that
// tries again would have endless executions.
#include "weak_exchanges.h"

#include "../Concurrency/tasks.h"
#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/mman.h>

#define ENGINE interlock_the_engine

/// Only its address is tested. NULL in a program without the concurrency library.
extern const char swift_task_getCurrent[] __attribute__((weak));

enum { most_exchanges = 4096 };

/// A call site; a place of 0 marks a free entry.
typedef struct {
  uintptr_t place;
  uint32_t kind;
  bool is_wide, compares_with_zero;
  /// The address to which the call returns if it fails by itself.
  uintptr_t stub;
} exchange;

typedef struct {
  exchange exchanges[most_exchanges];
  /// The number of call sites, and of those whose kind is not known yet.
  uint32_t count, unknown_count;
} known_exchanges;

static known_exchanges *known;

/// An exchange that has failed by itself in the running execution.
typedef struct failed_exchange {
  struct failed_exchange *next;
  uintptr_t place;
  uint32_t thread, task;
} failed_exchange;

static failed_exchange *failed;
static uint64_t failed_in;

void interlock_share_exchanges(void) {
  if (known) return;
  void *shared = mmap(NULL, sizeof *known, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared != MAP_FAILED) known = shared;
}

/// Returns the entry of a call site, or a free entry for it; NULL if the table is full.
///
/// Several jobs may add at once: a job that loses the race for an entry looks at the next one.
static exchange *entry_of(uintptr_t place) {
  size_t slot = place * 0x9e3779b97f4a7c15ull >> 52;
  for (size_t tries = 0; tries < most_exchanges; tries++) {
    exchange *entry = &known->exchanges[slot];
    // Relaxed, here and below: only the place identifies an entry, and the kind of an entry changes
    // only between explorations.
    uintptr_t found = __atomic_load_n(&entry->place, __ATOMIC_RELAXED);
    if (found == place || found == 0) return entry;
    slot = (slot + 1) % most_exchanges;
  }
  return NULL;
}

/// Adds a call site. The caller of the exploration has to find out its kind.
static void add(exchange *entry, uintptr_t place, bool is_wide) {
  uintptr_t none = 0;
  if (known->count >= most_exchanges / 2) return;
  if (!__atomic_compare_exchange_n(&entry->place, &none, place, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    if (none != place) return;
  } else {
    entry->is_wide = is_wide;
    __atomic_fetch_add(&known->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&known->unknown_count, 1, __ATOMIC_RELAXED);
  }
  ENGINE.result->must_begin_anew = true;
}

void interlock_explored_exchange(uintptr_t place, bool is_wide) {
  if (!known || !ENGINE.options.knows_exchanges) return;
  exchange *entry = entry_of(place);
  if (!entry) return;
  if (__atomic_load_n(&entry->place, __ATOMIC_RELAXED) == 0) {
    add(entry, place, is_wide);
  } else if (entry->kind == INTERLOCK_EXCHANGE_UNREAD && !ENGINE.is_warming_up) {
    ENGINE.result->has_unread_exchanges = true;
  }
}

/// Returns the entry of a weak exchange that can fail by itself; NULL for any other call site.
static const exchange *weak_at(uintptr_t place) {
  const exchange *entry = known && ENGINE.options.knows_exchanges ? entry_of(place) : NULL;
  return entry && entry->place == place && entry->stub ? entry : NULL;
}

/// The object of the task that the calling thread runs; 0 for none.
static uint32_t running_task(void) {
  uintptr_t actor, task = swift_task_getCurrent ? interlock_running_task(&actor) : 0;
  const interlock_object *known_task = task ? interlock_object_known((const void *)task) : NULL;
  return known_task ? known_task->number : 0;
}

/// True if the exchange has failed by itself in the running thread or task before.
static bool has_failed(uintptr_t place) {
  const uint32_t thread = ENGINE.current->number, task = running_task();
  if (failed_in != ENGINE.execution) failed = NULL;
  failed_in = ENGINE.execution;
  for (const failed_exchange *other = failed; other; other = other->next) {
    // Compare tasks, because each part of a task may be a thread of its own.
    bool is_own = task ? other->task == task : other->thread == thread;
    if (other->place == place && is_own) return true;
  }
  return false;
}

bool interlock_explored_exchange_may_fail(uintptr_t place, bool expects_zero, bool is_known_weak) {
  const exchange *entry = is_known_weak ? NULL : weak_at(place);
  if (!entry && !is_known_weak) return false;
  // The exchange does not expect 0, so the code compares with 0 for another reason.
  if (entry && entry->compares_with_zero && !expects_zero) return false;
  if (!has_failed(place)) return true;
  if (!ENGINE.is_warming_up) ENGINE.result->bounds_exchanges = true;
  return false;
}

uintptr_t interlock_explored_exchange_failed(uintptr_t place) {
  failed_exchange *added = interlock_execution_memory(sizeof *added);
  *added = (failed_exchange){failed, place, ENGINE.current->number, running_task()};
  failed = added;
  const exchange *entry = weak_at(place);
  return entry ? entry->stub : 0;
}

bool interlock_has_unknown_exchanges(void) {
  return known && __atomic_load_n(&known->unknown_count, __ATOMIC_RELAXED) > 0;
}

size_t interlock_unknown_exchanges(uintptr_t *places, size_t room) {
  size_t count = 0;
  for (size_t slot = 0; known && slot < most_exchanges && count < room; slot++) {
    const exchange *entry = &known->exchanges[slot];
    if (entry->place && entry->kind == INTERLOCK_EXCHANGE_UNKNOWN) places[count++] = entry->place;
  }
  // The body may have written over the count.
  if (known && count == 0) known->unknown_count = 0;
  return count;
}

void interlock_exchange_is(uintptr_t place, interlock_exchange_kind kind) {
  exchange *entry = known ? entry_of(place) : NULL;
  if (!entry || entry->place != place || entry->kind != INTERLOCK_EXCHANGE_UNKNOWN) return;
  entry->kind = kind;
  if (kind == INTERLOCK_EXCHANGE_WEAK) {
    entry->stub =
        interlock_make_exchange_stub(place, entry->is_wide, &entry->compares_with_zero);
    if (!entry->stub) entry->kind = INTERLOCK_EXCHANGE_UNREAD;
  }
  if (known->unknown_count > 0) known->unknown_count--;
}

#else

size_t interlock_unknown_exchanges(uintptr_t *places, size_t room) {
  (void)places, (void)room;
  return 0;
}
void interlock_exchange_is(uintptr_t place, interlock_exchange_kind kind) {
  (void)place, (void)kind;
}

#endif
