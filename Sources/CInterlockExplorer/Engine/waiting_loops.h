// Loops that wait for an atomic: see waiting_loops.c. Included by `Engine/` only.
#ifndef INTERLOCK_WAITING_LOOPS_H
#define INTERLOCK_WAITING_LOOPS_H

#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

/// Called when the running thread, which has a loop, takes a step other than an atomic operation,
/// or adds an operation to its step: its loop does not only read.
void interlock_loop_has_step(interlock_logical_thread *thread) HIDDEN;
/// True if the thread waits until another thread changes what its loop reads.
bool interlock_loop_waits(const interlock_logical_thread *thread) HIDDEN;
/// Called when the running thread frees memory, whose contents then no longer belong to the
/// thread's state.
void interlock_loop_memory_freed(uintptr_t address, size_t size) HIDDEN;

enum { INTERLOCK_MOST_UNITS = 64 };
/// Writes an operation for each unit of 8 bytes of an access; returns their number. An access of
/// more than `INTERLOCK_MOST_UNITS` units is one unknown operation. The caller hides its calls.
size_t interlock_operations_on(interlock_operation_kind kind, uintptr_t address, size_t size,
                               interlock_operation operations[INTERLOCK_MOST_UNITS]) HIDDEN;

#endif
#endif
