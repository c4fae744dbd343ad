#ifndef INTERLOCK_WATCHDOG_H
#define INTERLOCK_WATCHDOG_H

#include <stdint.h>

/// Begins to follow which tests run. Called before main in every process: the watchdog may be
/// started within a test.
void interlock_follow_tests(void);

/// The two words of a `String` of Swift's, with a reference that is the receiver's.
typedef struct {
  uintptr_t first, second;
} interlock_swift_string;

/// Called when a test of XCTest begins and when it ends, by its address.
typedef struct {
  void (*begins)(uintptr_t test, interlock_swift_string name);
  void (*ends)(uintptr_t test);
} interlock_xctest_follower;

typedef enum {
  /// XCTest is not in the process.
  INTERLOCK_XCTEST_NONE,
  INTERLOCK_XCTEST_OBSERVED,
  /// It is, and is not as this was written for.
  INTERLOCK_XCTEST_UNKNOWN,
} interlock_xctest_state;

/// Has these called from now on. `observer` is an object of Swift's that lives as long as the
/// process. Only while there is one thread.
interlock_xctest_state interlock_observe_xctest(const void *observer, const interlock_xctest_follower *newest);

/// Adds the watchdog's options to a list of Swift's. Swift's side:
/// `Sources/InterlockWatchdog/WatchdogOptions.swift`.
void interlock_watchdog_declare_options(void *list);

/// Starts the watchdog if `INTERLOCK_OPTIONS` has a `hang_limit`. Swift's side:
/// `Sources/InterlockWatchdog`. Called before main, so that a test target needs no code for it.
void interlock_watchdog_start_from_environment(void);

/// Starts to look for what does not go wrong and can if `INTERLOCK_OPTIONS` has a `predict=on`, and
/// tells of it at exit.
void interlock_prediction_start_from_environment(void);

/// Room for the stacks of this process's threads, zeroed, for the rest of its life; NULL where
/// there is none.
void *interlock_watchdog_stack_area(unsigned slots);

#endif
