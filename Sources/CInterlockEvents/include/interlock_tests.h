/// The tests of Swift Testing that run: the library binds a task-local value for each, and so calls
/// the runtime.
#ifndef INTERLOCK_TESTS_H
#define INTERLOCK_TESTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Called when Swift Testing binds a value, of a type by its metadata, and when it unbinds the last
/// one of the same task. `owner` is the task, or the thread where there is none. The value lives
/// until it is unbound.
typedef struct {
  void (*binds)(const void *value, const void *type, uintptr_t owner);
  void (*unbinds)(uintptr_t owner);
} interlock_test_follower;

/// Has these called from now on, for the rest of the process's life. What they call is not
/// published. From any thread.
void interlock_tests_follow(const interlock_test_follower *follower);

#ifdef __cplusplus
}
#endif

#endif
