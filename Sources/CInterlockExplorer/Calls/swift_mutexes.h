// `Mutex` of the standard library, as the performers see it. Not for users of the target.
#ifndef INTERLOCK_SWIFT_MUTEXES_H
#define INTERLOCK_SWIFT_MUTEXES_H

#include "../control.h"
#include "interlock_code.h"

#ifdef INTERLOCK_INTERPOSES

/// The number of the thread that is the holder by a mutex's word; `INTERLOCK_NO_OWNER` for a free
/// one (futexes.c).
uint32_t interlock_word_owner(const void *word) HIDDEN;

/// The value of a mutex's object after a section has asked for it, whose thread then locks it.
enum { INTERLOCK_MUTEX_IS_TAKEN_BY_SECTION = 1 };

/// False if a `Mutex` is used by code that the explorer does not control.
bool interlock_mutexes_are_led(void) HIDDEN;

#endif
#endif
