// `Mutex` of the standard library. Included by the explorer's files only.
#ifndef INTERLOCK_SWIFT_MUTEXES_H
#define INTERLOCK_SWIFT_MUTEXES_H

#include "../control.h"
#include "interlock_code.h"

#ifdef INTERLOCK_INTERPOSES

/// Returns the number of the thread that holds a mutex, from its word; `INTERLOCK_NO_OWNER` for a
/// free mutex (futexes.c).
uint32_t interlock_word_owner(const void *word) HIDDEN;

/// The `value` of a mutex's object after a section has reached the point for the lock, before the
/// section's thread locks the mutex.
enum { INTERLOCK_MUTEX_IS_TAKEN_BY_SECTION = 1 };

/// False if a `Mutex` is used by code that the explorer does not control.
bool interlock_mutexes_are_led(void) HIDDEN;

#endif
#endif
