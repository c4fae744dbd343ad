// Declares what the beginning and the end of a logical thread need from other files. Included by
// `Threads/` only.
#ifndef INTERLOCK_LOGICAL_THREADS_H
#define INTERLOCK_LOGICAL_THREADS_H

#include "stacks.h"

#ifdef INTERLOCK_INTERPOSES

/// Runs the destructors of the running thread's thread-specific data, as at the end of a real
/// thread (specific_data.c).
void interlock_run_destructors(void) HIDDEN;

#endif
#endif
