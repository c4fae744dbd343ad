// The table of tasks, threads and objects of Dispatch that have not ended, by scopes; and the wait
// for their ends.
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef interlock_life life;

/// The entries of the scopes with one hash.
typedef struct {
  int lock;
  life *first;
} scope_list;

enum { most_lives = 1 << 15, probes = 32, claimed = 1, list_count = 1 << 11 };
static life lives[most_lives];
static scope_list lists[list_count];
static uint64_t newest, lost_count;
static interlock_scope_function scope_of_caller;
static bool follows_all;

static life *at_probe(uintptr_t task, size_t probe) {
  return &lives[((size_t)(task * 0x9e3779b97f4a7c15ull >> 40) + probe) % most_lives];
}

life *interlock_life_find(uintptr_t task) {
  for (size_t probe = 0; probe < probes; probe++) {
    life *tried = at_probe(task, probe);
    // Acquire: pairs with the release in `interlock_life_add`.
    if (__atomic_load_n(&tried->task, __ATOMIC_ACQUIRE) == task) return tried;
  }
  return NULL;
}

bool interlock_life_add(interlock_life_start start, uintptr_t task, interlock_task_place place) {
  for (size_t probe = 0; probe < probes; probe++) {
    life *tried = at_probe(task, probe);
    uintptr_t free_entry = 0;
    // Relaxed on failure: the next entry is tried. Acquire: pairs with the release in
    // `interlock_life_remove`.
    if (__atomic_load_n(&tried->task, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&tried->task, &free_entry, claimed, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    // Relaxed: a number, which orders nothing.
    tried->number = __atomic_add_fetch(&newest, 1, __ATOMIC_RELAXED);
    tried->scope = start.scope;
    tried->place = place;
    tried->kind = start.kind;
    tried->thread = 0;
    tried->references = 1;
    tried->suspended = 0;
    tried->is_inactive = tried->is_cancelled = false;
    scope_list *list = &lists[start.scope % list_count];
    take(&list->lock);
    tried->next = list->first;
    tried->before = &list->first;
    if (list->first) list->first->before = &tried->next;
    list->first = tried;
    give(&list->lock);
    // Release: pairs with the acquire in `interlock_life_find`.
    __atomic_store_n(&tried->task, task, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

// The wait for ends.

/// `ends` changes with each end of a followed task. `waiters` is the number of threads that wait
/// for a change.
static uint32_t ends, waiters;

void interlock_lives_wake(void) {
  // Sequentially consistent, as in `interlock_lives_wait`: either this thread sees the waiter, or
  // the waiter sees the change.
  __atomic_fetch_add(&ends, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST) == 0) return;
  int error = errno;
  interlock_marks.hidden++;
  syscall(SYS_futex, &ends, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
  interlock_marks.hidden--;
  errno = error;
}

// Sequentially consistent: see `interlock_lives_wake`.
uint32_t interlock_lives_ends(void) { return __atomic_load_n(&ends, __ATOMIC_SEQ_CST); }

void interlock_lives_wait(uint32_t seen, uint64_t due) {
  enum { second = 1000000000 };
  struct timespec until = {(time_t)(due / second), (long)(due % second)};
  __atomic_fetch_add(&waiters, 1, __ATOMIC_SEQ_CST);
  // FUTEX_WAIT_BITSET takes an absolute time. The kernel compares `ends` first.
  syscall(SYS_futex, &ends, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL,
          FUTEX_BITSET_MATCH_ANY);
  __atomic_fetch_sub(&waiters, 1, __ATOMIC_RELAXED);
}

// Ends.

/// The scope of the last followed task that has ended on this thread.
static __thread struct {
  uintptr_t task;
  uint64_t scope;
} last_ended __attribute__((tls_model("initial-exec")));

bool interlock_life_remove(uintptr_t task) {
  life *found = interlock_life_find(task);
  if (!found) return false;
  // Acquire: pairs with the release in `interlock_life_add`. Both the task's end and the thread
  // that makes the task may remove the entry.
  if (!__atomic_compare_exchange_n(&found->task, &task, claimed, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return true;
  }
  if (found->kind == INTERLOCK_LIVE_TASK) {
    last_ended.task = task;
    last_ended.scope = found->scope;
  }
  scope_list *list = &lists[found->scope % list_count];
  take(&list->lock);
  *found->before = found->next;
  if (found->next) found->next->before = found->before;
  give(&list->lock);
  // Release: pairs with the acquire in `interlock_life_add`.
  __atomic_store_n(&found->task, 0, __ATOMIC_RELEASE);
  interlock_lives_wake();
  return true;
}

void interlock_lives_begin(interlock_scope_function scope, bool all) {
  // Release: pairs with the acquire in `interlock_life_scope`.
  if (scope) __atomic_store_n(&scope_of_caller, scope, __ATOMIC_RELEASE);
  if (all) __atomic_store_n(&follows_all, true, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_follows_lives, true, __ATOMIC_RELEASE);
}

interlock_life_start interlock_life_scope(uintptr_t maker) {
  interlock_life_start start = {0};
  if (interlock_marks.hidden > 0) return start;
  // Acquire: pairs with the release in `interlock_lives_begin`.
  interlock_scope_function function = __atomic_load_n(&scope_of_caller, __ATOMIC_ACQUIRE);
  if (function) {
    interlock_marks.hidden++;
    start.scope = function();
    interlock_marks.hidden--;
  }
  if (!start.scope && maker) {
    const life *made = interlock_life_find(maker);
    if (made) start.scope = made->scope;
  }
  // Relaxed: the flag only ever becomes true, and a task made meanwhile may be followed or not.
  start.is_followed = start.scope || __atomic_load_n(&follows_all, __ATOMIC_RELAXED);
  return start;
}

static interlock_live_state state_of(const life *entry) {
  // Relaxed: the entry stays while the caller holds the list's lock.
  if (__atomic_load_n(&entry->is_inactive, __ATOMIC_RELAXED)) return INTERLOCK_LIVE_INACTIVE;
  bool is_suspended = __atomic_load_n(&entry->suspended, __ATOMIC_RELAXED) > 0;
  return is_suspended ? INTERLOCK_LIVE_SUSPENDED : INTERLOCK_LIVE_ACTIVE;
}

bool interlock_life_is_left(const life *entry) {
  switch (entry->kind) {
    case INTERLOCK_LIVE_QUEUE: return state_of(entry) != INTERLOCK_LIVE_ACTIVE;
    case INTERLOCK_LIVE_SOURCE:
    // Relaxed: see `state_of`.
    case INTERLOCK_LIVE_TIMER: return !__atomic_load_n(&entry->is_cancelled, __ATOMIC_RELAXED);
    case INTERLOCK_LIVE_SCOPE: return false;
    default: return true;
  }
}

static void view(const life *entry, uint64_t scope, interlock_live_task *tasks, size_t capacity,
                 size_t *count) {
  // Relaxed: the entry stays while the caller holds the list's lock; a task that is being removed
  // has ended.
  uintptr_t task = __atomic_load_n(&entry->task, __ATOMIC_RELAXED);
  if (task == claimed || entry->scope != scope || !interlock_life_is_left(entry)) return;
  if (*count < capacity) {
    // Relaxed: a number, which orders nothing.
    tasks[*count] = (interlock_live_task){.task = task,
                                          .thread = __atomic_load_n(&entry->thread,
                                                                    __ATOMIC_RELAXED),
                                          .kind = entry->kind,
                                          .state = state_of(entry),
                                          .number = entry->number,
                                          .scope = scope,
                                          .place = entry->place};
  }
  ++*count;
}

size_t interlock_lives_tasks(uint64_t scope, bool all, interlock_live_task *tasks,
                             size_t capacity) {
  size_t count = 0;
  size_t first = all ? 0 : scope % list_count, end = all ? list_count : first + 1;
  for (size_t index = first; index < end; index++) {
    // Relaxed: the caller has seen the creation of the tasks for which it asks.
    if (!__atomic_load_n(&lists[index].first, __ATOMIC_RELAXED)) continue;
    take(&lists[index].lock);
    for (const life *entry = lists[index].first; entry; entry = entry->next) {
      view(entry, all ? entry->scope : scope, tasks, capacity, &count);
    }
    give(&lists[index].lock);
  }
  return count;
}

void interlock_lives_forked(void) {
  // The child has no other thread of the parent, so it runs none of their tasks, and a lock may be
  // held for ever.
  interlock_follows_lives = false;
  memset(lists, 0, sizeof lists);
}

uintptr_t interlock_lives_current(void) {
#if defined(__has_attribute)
#if __has_attribute(swiftcall)
  typedef __attribute__((swiftcall)) void *current(void);
  current *real = REAL(current, swift_task_getCurrent);
  return real ? (uintptr_t)real() : 0;
#endif
#endif
  return 0;
}

bool interlock_life_follows_all(void) {
  // Relaxed: the flag only ever becomes true.
  return __atomic_load_n(&follows_all, __ATOMIC_RELAXED);
}

uint64_t interlock_life_ended_scope(uintptr_t task) {
  return last_ended.task == task ? last_ended.scope : 0;
}

uintptr_t interlock_life_object_of(uint64_t scope) {
  scope_list *list = &lists[scope % list_count];
  uintptr_t found = 0;
  take(&list->lock);
  for (const life *entry = list->first; entry && !found; entry = entry->next) {
    bool is_object = entry->kind == INTERLOCK_LIVE_QUEUE ||
                     entry->kind == INTERLOCK_LIVE_SOURCE || entry->kind == INTERLOCK_LIVE_TIMER;
    // Relaxed: the entry stays while the list's lock is held.
    uintptr_t task = __atomic_load_n(&entry->task, __ATOMIC_RELAXED);
    if (is_object && entry->scope == scope && task != claimed) found = task;
  }
  give(&list->lock);
  return found;
}

void interlock_life_lost(void) { __atomic_fetch_add(&lost_count, 1, __ATOMIC_RELAXED); }
uint64_t interlock_lives_lost(void) { return __atomic_load_n(&lost_count, __ATOMIC_RELAXED); }

#else

size_t interlock_lives_tasks(uint64_t scope, bool all, interlock_live_task *tasks,
                             size_t capacity) {
  (void)scope, (void)all, (void)tasks, (void)capacity;
  return 0;
}
uintptr_t interlock_lives_current(void) { return 0; }
uint64_t interlock_lives_lost(void) { return 0; }
void interlock_lives_forget(uint64_t scope) { (void)scope; }
uint32_t interlock_lives_ends(void) { return 0; }
void interlock_lives_wake(void) {}
void interlock_lives_wait(uint32_t seen, uint64_t due) { (void)seen, (void)due; }

#endif
