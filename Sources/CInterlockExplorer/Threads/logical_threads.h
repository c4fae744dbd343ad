// Declares what the beginning and the end of a logical thread need from other files. Included by
// `Threads/` and `Engine/` only.
#ifndef INTERLOCK_LOGICAL_THREADS_H
#define INTERLOCK_LOGICAL_THREADS_H

#include "stacks.h"

#ifdef INTERLOCK_INTERPOSES

/// Runs the destructors of the running thread's thread-specific data, as at the end of a real
/// thread (specific_data.c).
void interlock_run_destructors(void) HIDDEN;
/// Returns why no further thread may begin; NULL if one may (thread_stacks.c).
const char *interlock_too_many_threads(void) HIDDEN;
/// Gives the thread a stack; false if there is no memory (thread_stacks.c).
bool interlock_thread_take_stack(interlock_logical_thread *thread) HIDDEN;
/// The entry point of a logical thread on its stack.
void interlock_logical_main(interlock_stack *stack) HIDDEN;

#endif
#endif
