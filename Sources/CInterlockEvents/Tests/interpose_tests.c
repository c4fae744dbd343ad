// Follows which tests of Swift Testing run. The library has no observers inside its process, but it
// binds a task-local value with the test's name to each test, by runtime calls from another
// library, which are interposed. The value stays bound while the test's task has given up its
// thread and is on no stack.
#include "interlock_tests.h"
#include "../Concurrency/controlled_tasks.h"
#include "../interpose.h"

#include <stdio.h>

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall)
#define FOLLOWS_TESTS 1
#endif
#endif

#ifdef FOLLOWS_TESTS

#define SWIFT_CALL __attribute__((swiftcall))

static const interlock_test_follower *follower;

void interlock_tests_follow(const interlock_test_follower *newest) {
  // Release: pairs with the acquire in `follower_of`, and publishes the data that the functions
  // use.
  __atomic_store_n(&follower, newest, __ATOMIC_RELEASE);
}

/// Returns the follower; NULL if the call is not Swift Testing's, or if there is no follower.
static const interlock_test_follower *follower_of(uintptr_t returns_to) {
  const interlock_test_follower *found = __atomic_load_n(&follower, __ATOMIC_ACQUIRE);
  return found && interlock_is_testing(returns_to) ? found : NULL;
}

static uintptr_t owner(void) {
  typedef SWIFT_CALL void *current(void);
  void *task = REAL(current, swift_task_getCurrent)();
  return task ? (uintptr_t)task : (uintptr_t)&interlock_marks;
}

INTERPOSED SWIFT_CALL void swift_task_localValuePush(const void *key, void *value,
                                                     const void *type) {
  typedef SWIFT_CALL void push(const void *, void *, const void *);
  push *real = REAL(push, swift_task_localValuePush);
  bool is_users = interlock_is_controlled() && !interlock_is_testing(RETURNS_TO);
  if (is_users) interlock_tasks->bound_local();
  const interlock_test_follower *found = follower_of(RETURNS_TO);
  if (found) {
    interlock_marks.hidden++;
    // Called before the runtime consumes the value.
    found->binds(key, value, type, owner());
    interlock_marks.hidden--;
  }
  real(key, value, type);
}

INTERPOSED SWIFT_CALL void swift_task_localValuePop(void) {
  typedef SWIFT_CALL void pop(void);
  pop *real = REAL(pop, swift_task_localValuePop);
  const interlock_test_follower *found = follower_of(RETURNS_TO);
  if (found) {
    interlock_marks.hidden++;
    found->unbinds(owner());
    interlock_marks.hidden--;
  }
  real();
}

static bool is_muted;

// Relaxed: set while there is one thread.
void interlock_tests_mute(void) { __atomic_store_n(&is_muted, true, __ATOMIC_RELAXED); }

static bool drops(uintptr_t returns_to) {
  return __atomic_load_n(&is_muted, __ATOMIC_RELAXED) && interlock_is_testing(returns_to);
}

INTERPOSED size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
  typedef size_t write_items(const void *, size_t, size_t, FILE *);
  return drops(RETURNS_TO) ? count : REAL(write_items, fwrite)(data, size, count, file);
}

INTERPOSED int fputs(const char *text, FILE *file) {
  typedef int write_text(const char *, FILE *);
  return drops(RETURNS_TO) ? 0 : REAL(write_text, fputs)(text, file);
}

// These functions call the runtime directly, because none of them is a binding of Swift Testing's.

const void *interlock_tests_value(const void *key) {
  typedef SWIFT_CALL void *get(const void *);
  return REAL(get, swift_task_localValueGet)(key);
}

void interlock_tests_bind(const void *key, void *value, const void *type) {
  typedef SWIFT_CALL void push(const void *, void *, const void *);
  REAL(push, swift_task_localValuePush)(key, value, type);
}

void interlock_tests_unbind(void) {
  typedef SWIFT_CALL void pop(void);
  REAL(pop, swift_task_localValuePop)();
}

#else
void interlock_tests_follow(const interlock_test_follower *newest) { (void)newest; }
const void *interlock_tests_value(const void *key) { return (void)key, NULL; }
void interlock_tests_bind(const void *key, void *value, const void *type) {
  (void)key, (void)value, (void)type;
}
void interlock_tests_unbind(void) {}
void interlock_tests_mute(void) {}
#endif
