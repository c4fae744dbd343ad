// Loops that wait for an atomic: see waiting_loops.c.
#ifndef INTERLOCK_WAITING_LOOPS_H
#define INTERLOCK_WAITING_LOOPS_H

#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

/// The running thread takes another step than an atomic operation, or adds one to its step: the
/// loop in which it may be does not only read. The thread has a loop.
void interlock_loop_has_step(interlock_logical_thread *thread) HIDDEN;
/// True if the thread waits until another one changes what its loop reads.
bool interlock_loop_waits(const interlock_logical_thread *thread) HIDDEN;
/// The running thread frees memory: its contents belong to no state.
void interlock_loop_memory_freed(uintptr_t address, size_t size) HIDDEN;

enum { INTERLOCK_MOST_UNITS = 64 };
/// Writes an operation for each unit of 8 bytes of an access; returns how many there are. A larger
/// access than `INTERLOCK_MOST_UNITS` is one unknown operation. For calls that are hidden.
size_t interlock_operations_on(interlock_operation_kind kind, uintptr_t address, size_t size,
                               interlock_operation operations[INTERLOCK_MOST_UNITS]) HIDDEN;

#endif
#endif
