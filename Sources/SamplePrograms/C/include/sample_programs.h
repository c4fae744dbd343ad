/// The sample programs that only C can be written in: Swift cannot call `dispatch_once`.
#ifndef SAMPLE_PROGRAMS_H
#define SAMPLE_PROGRAMS_H

/// Wrong: the settings' initializer reads a default, which is computed from the settings. Ends the
/// process.
void hang_dispatch_once_uses_itself(void);

/// Wrong: one thread initializes the shared store, which takes the lock; the other uses the store
/// with the lock held. Does not return.
void hang_dispatch_once_and_lock_crossed(void);

/// Correct: 50 threads use a shared store whose initialization takes a second.
void hang_dispatch_once_takes_a_second(void);

#endif
