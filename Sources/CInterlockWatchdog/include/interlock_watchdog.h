#ifndef INTERLOCK_WATCHDOG_H
#define INTERLOCK_WATCHDOG_H

/// Starts the watchdog if `INTERLOCK_OPTIONS` has a `hang_limit`. Swift's side: `Sources/InterlockWatchdog`.
/// Called before main, so that a test target needs no code for it.
void interlock_watchdog_start_from_environment(void);

/// Starts to look for what does not go wrong and can if `INTERLOCK_OPTIONS` has a `predict=on`, and tells of it at exit.
void interlock_prediction_start_from_environment(void);

/// Room for the stacks of this process's threads, zeroed, for the rest of its life; NULL where there is none.
void *interlock_watchdog_stack_area(unsigned slots);

#endif
