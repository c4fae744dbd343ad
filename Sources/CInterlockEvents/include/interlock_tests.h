/// Tests of Swift Testing: the running tests, known from the task-local value that the library
/// binds to each, and their traits. And test cases of XCTest.
#ifndef INTERLOCK_TESTS_H
#define INTERLOCK_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Called when Swift Testing binds and unbinds a value.
///
/// `binds` gets the key of the value, and its type as metadata; `unbinds` is called for the last
/// value of the same task. `owner` is the task, or the thread outside a task. The value lives until
/// it is unbound.
typedef struct {
  void (*binds)(const void *key, const void *value, const void *type, uintptr_t owner);
  void (*unbinds)(uintptr_t owner);
} interlock_test_follower;

/// Calls these functions from now on, for the life of the process.
///
/// Their own calls are not published. Callable from any thread.
void interlock_tests_follow(const interlock_test_follower *follower);

/// Drops the output of Swift Testing from now on, for the life of the process. A child's copy of
/// the library would repeat what the parent has written, and print each known issue of each order.
void interlock_tests_mute(void);

// In C, because Swift code can bind a task-local value only for the duration of a closure.

/// Returns the value for a key of the calling task, or of the thread outside a task; NULL for none.
const void *interlock_tests_value(const void *key);
/// Binds a value until the matching `unbind` on the same thread. The value is moved out of its
/// memory. `type` is its type's metadata.
void interlock_tests_bind(const void *key, void *value, const void *type);
/// Unbinds the last value of the calling thread.
void interlock_tests_unbind(void);

/// Returns the traits that a test or a suite gets in place of its own. Both are Swift arrays, of
/// `any TestTrait` or `any SuiteTrait`; the result is never released.
typedef uintptr_t interlock_test_traits(uintptr_t own, bool is_suite);

/// Calls a function for each test and each suite that a macro's code describes, from now on.
///
/// Returns false if the process has no Swift Testing, or a version whose macros make other calls.
/// Call it while there is one thread.
bool interlock_tests_choose_traits(interlock_test_traits *traits);

/// Functions that run XCTest's test cases, and receive their failures, in place of the library.
typedef struct {
  /// Called when XCTest begins to run a test case, from `setUp` to `tearDown`. Returns true if the
  /// function has run the test case.
  bool (*invokes)(void *test_case);
  /// Called when a test case records a failure, with the two words of each Swift string, which the
  /// caller keeps, and the line. Returns true if XCTest must not record it.
  bool (*fails)(const uintptr_t *description, const uintptr_t *file,
                intptr_t line);
} interlock_xctest_runner;

/// Calls these functions from now on, for the life of the process.
///
/// Returns false if the process has no XCTest, or a version without these methods. Call it while
/// there is one thread.
bool interlock_xctest_run_by(const interlock_xctest_runner *runner);

#ifdef __cplusplus
}
#endif

#endif
