// `Mutex` of the standard library, as the performers see it. Not for users of the target.
#ifndef INTERLOCK_SWIFT_MUTEXES_H
#define INTERLOCK_SWIFT_MUTEXES_H

#include "../control.h"
#include "interlock_code.h"

#ifdef INTERLOCK_INTERPOSES

/// The number of the thread that is the holder by a mutex's word; `INTERLOCK_NO_OWNER` for a free
/// one (futexes.c).
uint32_t interlock_word_owner(const void *word) HIDDEN;

/// False if a `Mutex` is used by code that the explorer does not control.
bool interlock_mutexes_are_led(void) HIDDEN;

/// The calling thread is about to lock, try or unlock the mutex by an atomic operation: returns
/// once it may. Returns false if that is no operation of an explored thread; else the caller
/// performs it, and calls `did`.
bool interlock_explored_mutex_asks(interlock_mutex_use use, uint32_t *word, uintptr_t place);
void interlock_explored_mutex_did(interlock_mutex_use use, uint32_t *word, bool is_done);

#endif
#endif
