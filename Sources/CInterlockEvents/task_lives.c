// The tasks that have not ended, by their addresses, and the threads, by scopes.
//
// A task may run, and end, before the call returns that makes it: only then is its address known.
// So while any thread makes a task, the ends of unknown tasks are listed, and the thread looks for
// its own there.
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool interlock_follows_lives;

/// The other fields belong to the thread that claims the entry, until it stores `task`, and to one
/// that claims it again to remove it.
typedef struct life {
  uintptr_t task;
  uint64_t number, scope;
  interlock_task_place place;
  bool is_thread;
  uint32_t thread;
  /// The neighbours in the list of the scopes with the same hash.
  struct life *next, **before;
} life;

/// The tasks of the scopes with one hash.
typedef struct {
  int lock;
  life *first;
} scope_list;

enum { most_lives = 1 << 15, probes = 32, claimed = 1, list_count = 1 << 11, most_ends = 1 << 12 };
static life lives[most_lives];
static scope_list lists[list_count];
static uint64_t newest, lost_count;
static interlock_scope_function scope_of_caller;
static bool follows_all;

/// The threads that make a task now, and the ends of unknown tasks meanwhile.
static uint32_t making, unknown_ends;
static uintptr_t ended[most_ends];

/// Changes with each end of a followed task; the number of threads that wait for a change.
static uint32_t ends, waiters;

static life *at_probe(uintptr_t task, size_t probe) {
  return &lives[((size_t)(task * 0x9e3779b97f4a7c15ull >> 40) + probe) % most_lives];
}

static life *find(uintptr_t task) {
  for (size_t probe = 0; probe < probes; probe++) {
    life *tried = at_probe(task, probe);
    // Acquire: pairs with the release in `add`.
    if (__atomic_load_n(&tried->task, __ATOMIC_ACQUIRE) == task) return tried;
  }
  return NULL;
}

static bool add(interlock_life_start start, uintptr_t task, interlock_task_place place) {
  for (size_t probe = 0; probe < probes; probe++) {
    life *tried = at_probe(task, probe);
    uintptr_t free_entry = 0;
    // Relaxed on failure: the next entry is tried. Acquire: pairs with the release in
    // `remove_life`.
    if (__atomic_load_n(&tried->task, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&tried->task, &free_entry, claimed, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    // Relaxed: a number, which orders nothing.
    tried->number = __atomic_add_fetch(&newest, 1, __ATOMIC_RELAXED);
    tried->scope = start.scope;
    tried->place = place;
    tried->is_thread = start.is_thread;
    tried->thread = 0;
    scope_list *list = &lists[start.scope % list_count];
    take(&list->lock);
    tried->next = list->first;
    tried->before = &list->first;
    if (list->first) list->first->before = &tried->next;
    list->first = tried;
    give(&list->lock);
    // Release: pairs with the acquire in `find`.
    __atomic_store_n(&tried->task, task, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

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

/// Returns false if the task is not followed.
static bool remove_life(uintptr_t task) {
  life *found = find(task);
  if (!found) return false;
  // Acquire: pairs with the release in `add`. Both the task's end and the thread that makes it may
  // come here.
  if (!__atomic_compare_exchange_n(&found->task, &task, claimed, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return true;
  }
  scope_list *list = &lists[found->scope % list_count];
  take(&list->lock);
  *found->before = found->next;
  if (found->next) found->next->before = found->before;
  give(&list->lock);
  // Release: pairs with the acquire in `add`.
  __atomic_store_n(&found->task, 0, __ATOMIC_RELEASE);
  interlock_lives_wake();
  return true;
}

/// The scope of the calling code, and whether what it makes is followed.
static interlock_life_start scope_of(uintptr_t maker) {
  interlock_life_start start = {0};
  if (interlock_marks.hidden > 0) return start;
  // Acquire: pairs with the release in `interlock_lives_follow`.
  interlock_scope_function function = __atomic_load_n(&scope_of_caller, __ATOMIC_ACQUIRE);
  if (function) {
    interlock_marks.hidden++;
    start.scope = function();
    interlock_marks.hidden--;
  }
  if (!start.scope && maker) {
    const life *made = find(maker);
    if (made) start.scope = made->scope;
  }
  // Relaxed: it only ever becomes true, and a task made meanwhile may be followed or not.
  start.is_followed = start.scope || __atomic_load_n(&follows_all, __ATOMIC_RELAXED);
  return start;
}

interlock_life_start interlock_life_starts(uintptr_t maker) {
  interlock_life_start start = scope_of(maker);
  if (!start.is_followed) return start;
  // Before the task can run: its end comes after this, and finds either the count or the entry.
  __atomic_fetch_add(&making, 1, __ATOMIC_SEQ_CST);
  start.ends = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
  return start;
}

void interlock_life_begins(interlock_life_start start, uintptr_t task,
                           interlock_task_place place) {
  if (!start.is_followed) return;
  bool is_added = add(start, task, place);
  // Sequentially consistent: an end that does not see the entry has listed the task before.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t now = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
  bool is_lost = !is_added;
  if (is_added && now - start.ends > most_ends) {
    // Some are overwritten: whether the task has ended is not known.
    is_lost = remove_life(task);
  }
  for (uint32_t index = start.ends; is_added && !is_lost && index != now; index++) {
    if (__atomic_load_n(&ended[index % most_ends], __ATOMIC_RELAXED) != task) continue;
    remove_life(task);
    break;
  }
  if (is_lost) __atomic_fetch_add(&lost_count, 1, __ATOMIC_RELAXED);
  // Release: an end that sees the count without this thread sees the entry too.
  __atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
}

void interlock_life_ends(uintptr_t task) {
  // Acquire: pairs with the release in `interlock_life_begins`.
  bool is_any_made = __atomic_load_n(&making, __ATOMIC_ACQUIRE) > 0;
  if (remove_life(task) || !is_any_made) return;
  uint32_t index = __atomic_fetch_add(&unknown_ends, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ended[index % most_ends], task, __ATOMIC_RELAXED);
  // Sequentially consistent: a thread that does not find the task in the list has added it.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  remove_life(task);
}

// Threads, by odd numbers, which are no addresses of tasks. A destructor of thread-specific data
// notes the end: `pthread_exit` ends a thread too.

static pthread_key_t end_key;

static void end_thread(void *life) { remove_life((uintptr_t)life); }

static void make_key(void) { pthread_key_create(&end_key, end_thread); }

uintptr_t interlock_life_of_thread(uintptr_t place) {
  interlock_life_start start = scope_of(interlock_lives_current());
  if (!start.is_followed) return 0;
  start.is_thread = true;
  // Relaxed: a number, which orders nothing. Odd: no task has such an address, and 1 is `claimed`.
  static uintptr_t last = 1;
  uintptr_t life = __atomic_add_fetch(&last, 2, __ATOMIC_RELAXED);
  if (add(start, life, (interlock_task_place){place, 0})) return life;
  __atomic_fetch_add(&lost_count, 1, __ATOMIC_RELAXED);
  return 0;
}

void interlock_life_runs(uintptr_t life) {
  struct life *found = find(life);
  if (!found) return;
  __atomic_store_n(&found->thread, interlock_thread_id(), __ATOMIC_RELAXED);
  pthread_setspecific(end_key, (void *)life);
}

void interlock_life_refused(uintptr_t life) {
  if (life) remove_life(life);
}

const char *interlock_lives_follow(interlock_scope_function scope, bool all) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  const char *lost = interlock_layouts_lost(0);
  if (lost) return lost;
  if (!interlock_follow_task_ends()) return "the Swift runtime differs from the known one";
  // Release: pairs with the acquire in `interlock_life_starts`.
  if (scope) __atomic_store_n(&scope_of_caller, scope, __ATOMIC_RELEASE);
  if (all) __atomic_store_n(&follows_all, true, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_follows_lives, true, __ATOMIC_RELEASE);
  return NULL;
}

static void view(const life *entry, uint64_t scope, interlock_live_task *tasks, size_t capacity,
                 size_t *count) {
  // Relaxed: the list's lock keeps the entry; a task that is being removed has ended.
  uintptr_t task = __atomic_load_n(&entry->task, __ATOMIC_RELAXED);
  if (task == claimed || entry->scope != scope) return;
  if (*count < capacity) {
    // Relaxed: a number, which orders nothing.
    tasks[*count] = (interlock_live_task){.task = task,
                                          .thread = __atomic_load_n(&entry->thread,
                                                                    __ATOMIC_RELAXED),
                                          .is_thread = entry->is_thread,
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
    // Relaxed: the caller has seen the tasks made that it asks for.
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
  // Other threads' tasks do not run in the child, and their threads may have held a lock.
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

uint64_t interlock_lives_lost(void) { return __atomic_load_n(&lost_count, __ATOMIC_RELAXED); }

// Sequentially consistent: see `interlock_lives_wake`.
uint32_t interlock_lives_ends(void) { return __atomic_load_n(&ends, __ATOMIC_SEQ_CST); }

void interlock_lives_wait(uint32_t seen, uint64_t due) {
  enum { second = 1000000000 };
  struct timespec until = {(time_t)(due / second), (long)(due % second)};
  __atomic_fetch_add(&waiters, 1, __ATOMIC_SEQ_CST);
  // This operation takes an absolute time. The kernel compares `ends` first.
  syscall(SYS_futex, &ends, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL,
          FUTEX_BITSET_MATCH_ANY);
  __atomic_fetch_sub(&waiters, 1, __ATOMIC_RELAXED);
}

#else

const char *interlock_lives_follow(interlock_scope_function scope, bool all) {
  (void)scope, (void)all;
  return "no call is seen";
}
size_t interlock_lives_tasks(uint64_t scope, bool all, interlock_live_task *tasks,
                             size_t capacity) {
  (void)scope, (void)all, (void)tasks, (void)capacity;
  return 0;
}
uintptr_t interlock_lives_current(void) { return 0; }
uint64_t interlock_lives_lost(void) { return 0; }
uint32_t interlock_lives_ends(void) { return 0; }
void interlock_lives_wake(void) {}
void interlock_lives_wait(uint32_t seen, uint64_t due) { (void)seen, (void)due; }

#endif
