// The tasks that have not ended, by their addresses, and the threads, by scopes. The table has the
// objects of Dispatch too (object_lives.c).
//
// A task may run, and end, before the call returns that makes it: only then is its address known.
// So while any thread makes a task, the ends of unknown tasks are listed, and the thread looks for
// its own there.
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

bool interlock_follows_lives;

typedef interlock_life life;

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

/// The scope of the last followed task that has ended on this thread.
static __thread struct {
  uintptr_t task;
  uint64_t scope;
} last_ended __attribute__((tls_model("initial-exec")));

bool interlock_life_remove(uintptr_t task) {
  life *found = interlock_life_find(task);
  if (!found) return false;
  // Acquire: pairs with the release in `interlock_life_add`. Both the task's end and the thread
  // that makes it may come here.
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

interlock_life_start interlock_life_scope(uintptr_t maker) {
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
    const life *made = interlock_life_find(maker);
    if (made) start.scope = made->scope;
  }
  // Relaxed: it only ever becomes true, and a task made meanwhile may be followed or not.
  start.is_followed = start.scope || __atomic_load_n(&follows_all, __ATOMIC_RELAXED);
  return start;
}

/// The innermost task that the thread makes, of those that are followed.
static __thread interlock_life_start *own_start __attribute__((tls_model("initial-exec")));

void interlock_life_starts(interlock_life_start *start, uintptr_t maker) {
  *start = interlock_life_scope(maker);
  if (!start->is_followed) return;
  start->outer = own_start;
  own_start = start;
  // Before the task can run: its end comes after this, and finds either the count or the entry.
  __atomic_fetch_add(&making, 1, __ATOMIC_SEQ_CST);
  start->ends = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
}

void interlock_life_enqueued(uintptr_t job) {
  interlock_life_start *start = own_start;
  if (!start || start->enqueued) return;
  interlock_task_maker maker = interlock_marks.maker;
  uintptr_t place = interlock_user_place(maker.returns_to, maker.frame);
  uintptr_t outer = place == maker.returns_to
                        ? interlock_events_outer(maker.frame, maker.returns_to)
                        : 0;
  if (interlock_life_add(*start, job, (interlock_task_place){place, outer})) start->enqueued = job;
}

void interlock_life_begins(interlock_life_start *begun, uintptr_t task,
                           interlock_task_place place) {
  if (!begun->is_followed) return;
  interlock_life_start start = *begun;
  own_start = start.outer;
  if (start.enqueued == task) {
    // The task was added before it could run.
    // Release: as below.
    __atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
    return;
  }
  // The job was that of an actor, not of the task.
  if (start.enqueued) interlock_life_remove(start.enqueued);
  bool is_added = interlock_life_add(start, task, place);
  // Sequentially consistent: an end that does not see the entry has listed the task before.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t now = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
  bool is_lost = !is_added;
  if (is_added && now - start.ends > most_ends) {
    // Some are overwritten: whether the task has ended is not known.
    is_lost = interlock_life_remove(task);
  }
  for (uint32_t index = start.ends; is_added && !is_lost && index != now; index++) {
    if (__atomic_load_n(&ended[index % most_ends], __ATOMIC_RELAXED) != task) continue;
    interlock_life_remove(task);
    break;
  }
  if (is_lost) __atomic_fetch_add(&lost_count, 1, __ATOMIC_RELAXED);
  // Release: an end that sees the count without this thread sees the entry too.
  __atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
}

void interlock_life_ends(uintptr_t task) {
  // Acquire: pairs with the release in `interlock_life_begins`.
  bool is_any_made = __atomic_load_n(&making, __ATOMIC_ACQUIRE) > 0;
  if (interlock_life_remove(task) || !is_any_made) return;
  uint32_t index = __atomic_fetch_add(&unknown_ends, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ended[index % most_ends], task, __ATOMIC_RELAXED);
  // Sequentially consistent: a thread that does not find the task in the list has added it.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  interlock_life_remove(task);
}

const char *interlock_lives_follow(interlock_scope_function scope, bool all) {
  interlock_life_prepare_threads();
  const char *lost = interlock_layouts_lost(0);
  if (lost) return lost;
  if (!interlock_follow_task_ends()) return "the Swift runtime differs from the known one";
  // Release: pairs with the acquire in `interlock_life_starts`.
  if (scope) __atomic_store_n(&scope_of_caller, scope, __ATOMIC_RELEASE);
  if (all) __atomic_store_n(&follows_all, true, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_follows_lives, true, __ATOMIC_RELEASE);
  return NULL;
}

static interlock_live_state state_of(const life *entry) {
  // Relaxed: the list's lock keeps the entry.
  if (__atomic_load_n(&entry->is_inactive, __ATOMIC_RELAXED)) return INTERLOCK_LIVE_INACTIVE;
  bool is_suspended = __atomic_load_n(&entry->suspended, __ATOMIC_RELAXED) > 0;
  return is_suspended ? INTERLOCK_LIVE_SUSPENDED : INTERLOCK_LIVE_ACTIVE;
}

bool interlock_life_is_left(const life *entry) {
  switch (entry->kind) {
    case INTERLOCK_LIVE_QUEUE: return state_of(entry) != INTERLOCK_LIVE_ACTIVE;
    case INTERLOCK_LIVE_SOURCE:
    // Relaxed: as above.
    case INTERLOCK_LIVE_TIMER: return !__atomic_load_n(&entry->is_cancelled, __ATOMIC_RELAXED);
    case INTERLOCK_LIVE_SCOPE: return false;
    default: return true;
  }
}

static void view(const life *entry, uint64_t scope, interlock_live_task *tasks, size_t capacity,
                 size_t *count) {
  // Relaxed: the list's lock keeps the entry; a task that is being removed has ended.
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

bool interlock_life_follows_all(void) {
  // Relaxed: it only ever becomes true.
  return __atomic_load_n(&follows_all, __ATOMIC_RELAXED);
}

uint64_t interlock_life_ended_scope(uintptr_t task) {
  return last_ended.task == task ? last_ended.scope : 0;
}

void interlock_life_lost(void) { __atomic_fetch_add(&lost_count, 1, __ATOMIC_RELAXED); }
uint64_t interlock_lives_lost(void) { return __atomic_load_n(&lost_count, __ATOMIC_RELAXED); }

void interlock_lives_forget(uint64_t scope) {
  if (interlock_life_follows_all()) return;
  scope_list *list = &lists[scope % list_count];
  while (true) {
    uintptr_t found = 0;
    take(&list->lock);
    for (const life *entry = list->first; entry && !found; entry = entry->next) {
      bool is_object = entry->kind == INTERLOCK_LIVE_QUEUE ||
                       entry->kind == INTERLOCK_LIVE_SOURCE || entry->kind == INTERLOCK_LIVE_TIMER;
      // Relaxed: the list's lock keeps the entry.
      uintptr_t task = __atomic_load_n(&entry->task, __ATOMIC_RELAXED);
      if (is_object && entry->scope == scope && task != claimed) found = task;
    }
    give(&list->lock);
    if (!found) return;
    interlock_life_forget_object(found, scope);
  }
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
void interlock_lives_forget(uint64_t scope) { (void)scope; }

#endif
