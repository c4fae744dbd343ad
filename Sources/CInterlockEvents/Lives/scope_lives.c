// The threads that code of a scope makes, and the scopes themselves, in the table of lives.c.
#include "../Code/layouts.h"
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

// Threads, by odd numbers, which are no addresses of tasks. A destructor of thread-specific data
// notes the end, because `pthread_exit` ends a thread too.

static pthread_key_t end_key;

static void end_thread(void *life) { interlock_life_remove((uintptr_t)life); }

/// The scope of the calling thread, if the thread is followed.
static __thread uint64_t scope_of_thread __attribute__((tls_model("initial-exec")));

static void make_key(void) { pthread_key_create(&end_key, end_thread); }

static void prepare_threads(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
}

uintptr_t interlock_life_of_thread(uintptr_t place) {
  interlock_life_start start = interlock_life_scope(interlock_lives_current());
  if (!start.is_followed) return 0;
  start.kind = INTERLOCK_LIVE_THREAD;
  // Relaxed: a number, which orders nothing. Odd, because no task has an odd address; not 1, which
  // is `claimed`.
  static uintptr_t last = 1;
  uintptr_t life = __atomic_add_fetch(&last, 2, __ATOMIC_RELAXED);
  if (interlock_life_add(start, life, (interlock_task_place){place, 0})) return life;
  interlock_life_lost();
  return 0;
}

void interlock_life_runs(uintptr_t life) {
  interlock_life *found = interlock_life_find(life);
  if (!found) return;
  scope_of_thread = found->scope;
  __atomic_store_n(&found->thread, interlock_thread_id(), __ATOMIC_RELAXED);
  pthread_setspecific(end_key, (void *)life);
}

void interlock_life_refused(uintptr_t life) {
  if (life) interlock_life_remove(life);
}

// Scopes.

const char *interlock_lives_follow(interlock_scope_function scope, bool all) {
  prepare_threads();
  const char *lost = interlock_layouts_lost(0);
  if (lost) return lost;
  if (!interlock_follow_task_ends()) return "the Swift runtime differs from the known one";
  interlock_lives_begin(scope, all);
  return NULL;
}

void interlock_lives_enter(uint64_t scope) {
  uintptr_t task = interlock_lives_current();
  if (!task || interlock_life_find(task)) return;
  interlock_life_start start = {.scope = scope, .kind = INTERLOCK_LIVE_SCOPE};
  if (!interlock_life_add(start, task, (interlock_task_place){0})) interlock_life_lost();
}

void interlock_lives_leave(uint64_t scope) {
  uintptr_t task = interlock_lives_current();
  const interlock_life *found = task ? interlock_life_find(task) : NULL;
  if (!found || found->kind != INTERLOCK_LIVE_SCOPE || found->scope != scope) return;
  interlock_life_remove(task);
}

uint64_t interlock_lives_scope(uintptr_t task, bool *is_wanted) {
  enum { most_parents = 8 };
  uint64_t scope = task ? 0 : scope_of_thread;
  if (!task && !scope) scope = interlock_life_scope(0).scope;
  for (int depth = 0; task && !scope && depth < most_parents; depth++) {
    const interlock_life *found = interlock_life_find(task);
    scope = found ? found->scope : interlock_life_ended_scope(task);
    task = interlock_waits_parent(task);
  }
  *is_wanted = scope || interlock_life_follows_all();
  return scope;
}

#else

const char *interlock_lives_follow(interlock_scope_function scope, bool all) {
  (void)scope, (void)all;
  return "no call is seen";
}
void interlock_lives_enter(uint64_t scope) { (void)scope; }
void interlock_lives_leave(uint64_t scope) { (void)scope; }
uint64_t interlock_lives_scope(uintptr_t task, bool *is_wanted) {
  (void)task;
  *is_wanted = false;
  return 0;
}

#endif
