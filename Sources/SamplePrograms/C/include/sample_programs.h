/// The small programs that only C can be written in: Swift cannot call `dispatch_once`.
#ifndef SAMPLE_PROGRAMS_H
#define SAMPLE_PROGRAMS_H

/// Wrong: the settings read their default from who reads the settings. Ends the process.
void hang_dispatch_once_uses_itself(void);

/// Wrong: one makes the shared store, which takes the lock, and the other asks for the store with
/// the lock held. Does not return.
void hang_dispatch_once_and_lock_crossed(void);

/// Correct: 50 threads use a shared store that is made for a second.
void hang_dispatch_once_takes_a_second(void);

#endif
