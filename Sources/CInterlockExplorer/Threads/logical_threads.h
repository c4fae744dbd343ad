// What the begin and the end of a logical thread need of other files.
#ifndef INTERLOCK_LOGICAL_THREADS_H
#define INTERLOCK_LOGICAL_THREADS_H

#include "stacks.h"

#ifdef INTERLOCK_INTERPOSES

/// Runs the destructors of the running thread's thread-specific data, as the end of a real thread
/// does (specific_data.c).
void interlock_run_destructors(void) HIDDEN;

#endif
#endif
