#ifndef INTERLOCK_WATCHDOG_H
#define INTERLOCK_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/// Begins to record which tests run. Called before main in every process, because a test may start
/// the watchdog.
void interlock_follow_tests(void);

/// Called before main if InterlockTesting is linked.
void interlock_testing_starts(void) __attribute__((weak));
/// Adds the options of InterlockTesting, if it is linked, to Swift's list of options. Swift's side:
/// `Sources/InterlockTesting/TestingStarts.swift`.
void interlock_testing_declare_options(void *list) __attribute__((weak));

/// The two words of a Swift `String`, whose reference the receiver owns.
typedef struct {
  uintptr_t first, second;
} interlock_swift_string;

/// Callbacks for the beginning and the end of an XCTest test, identified by its address.
typedef struct {
  void (*begins)(uintptr_t test, interlock_swift_string name);
  void (*ends)(uintptr_t test);
} interlock_xctest_follower;

typedef enum {
  /// XCTest is not in the process.
  INTERLOCK_XCTEST_NONE,
  INTERLOCK_XCTEST_OBSERVED,
  /// XCTest is in the process, but with an unknown layout.
  INTERLOCK_XCTEST_UNKNOWN,
} interlock_xctest_state;

/// Installs the callbacks. `observer` is a Swift object that lives as long as the process. Call it
/// while there is only one thread.
interlock_xctest_state interlock_observe_xctest(const void *observer,
                                                const interlock_xctest_follower *newest);

/// Adds the watchdog's options to Swift's list of options. Swift's side:
/// `Sources/InterlockWatchdog/ReportOptions.swift`.
void interlock_watchdog_declare_options(void *list);

/// Starts the watchdog if `INTERLOCK_OPTIONS` has a `hang_limit`. Swift's side:
/// `Sources/InterlockWatchdog`. Called before main, so that a test target needs no code for it.
void interlock_watchdog_start_from_environment(void);

/// Starts prediction if `INTERLOCK_OPTIONS` has `predict=on`.
///
/// It reports at exit the deadlocks and races that did not occur in this run.
void interlock_prediction_start_from_environment(void);

/// Follows tasks, and lists at exit those that have not ended, if `INTERLOCK_OPTIONS` has
/// `leaks=on`.
void interlock_leaks_start_from_environment(void);

/// Arranges for the reports that `INTERLOCK_OPTIONS` names, and those that a CI service reads, to
/// be written at exit. Swift's side: `Sources/InterlockWatchdog/ProcessReport.swift`.
void interlock_report_start_from_environment(void);

/// Stores how SIGQUIT is handled before main, that is, not by the program.
void interlock_watchdog_note_quit(void);

/// Counts SIGQUIT as a request for a report, unless the program has changed how it is handled.
void interlock_watchdog_follow_quit(void);

/// Returns true if a report was requested since the last call. Only one thread may call it.
bool interlock_watchdog_takes_quit(void);

/// Returns zeroed memory for the stacks of this process's threads, which is never freed; NULL if
/// there is none.
void *interlock_watchdog_stack_area(unsigned slots);

#endif
