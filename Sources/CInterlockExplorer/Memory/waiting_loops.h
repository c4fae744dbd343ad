// Loops that wait for an atomic: see waiting_loops.c. Included by `Memory/` and
// `Engine/` only.
#ifndef INTERLOCK_WAITING_LOOPS_H
#define INTERLOCK_WAITING_LOOPS_H

#include "../Engine/engine.h"
#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

/// Called when the running thread, which has a loop, takes a step other than an atomic operation,
/// or adds an operation to its step: its loop does not only read.
void interlock_loop_has_step(interlock_logical_thread *thread) HIDDEN;
/// True if the thread waits until another thread changes what its loop reads.
bool interlock_loop_waits(const interlock_logical_thread *thread) HIDDEN;
/// Called when the running thread frees memory, whose contents then no longer belong to the
/// thread's state.
void interlock_loop_memory_freed(uintptr_t address, size_t size) HIDDEN;

enum { INTERLOCK_LOOP_READS = 16, INTERLOCK_LOOP_WRITTEN = 32, INTERLOCK_LOOP_WIDEST = 16 };

/// An operation that changed nothing: the value that it found, and the thread's state before it.
typedef struct {
  uint64_t state;
  uintptr_t address;
  uint32_t size, object;
  unsigned char found[INTERLOCK_LOOP_WIDEST];
  /// With the weak memory model: the number of stores to the atomic now, the number at this
  /// operation, and whether the operation read the newest store.
  const uint32_t *stores;
  uint32_t seen;
  bool is_newest;
} loop_read;

struct interlock_loop {
  loop_read reads[INTERLOCK_LOOP_READS];
  /// The running operation.
  loop_read now;
  /// The units of 8 bytes that the thread has written since the first read.
  uintptr_t written[INTERLOCK_LOOP_WRITTEN];
  /// The lengths of `reads` and `written`; and the index of the first read of the round in which
  /// the thread waits.
  uint32_t count, written_count, waits_since;
  bool is_asking, is_at_metadata, writes_too_much;
};

/// Forgets the reads of the loop, which is over.
void interlock_loop_forget(struct interlock_loop *loop) HIDDEN;
/// Hashes everything that decides how the thread continues: the call's operands, the callee-saved
/// registers, the stack of the calling code, and the memory that the thread has written. Returns 0
/// if it is not known.
///
/// The call's own frame has the return address behind the caller's frame pointer, and the registers
/// before it: see `interlock_atomic_call`.
uint64_t interlock_loop_state(const interlock_atomic_call *call,
                              const struct interlock_loop *loop) HIDDEN;
/// Returns the index of the read that began in the same state as the running operation; `count` if
/// there is none.
uint32_t interlock_loop_start(const struct interlock_loop *loop) HIDDEN;
/// The readiness of a loop that waits.
bool interlock_loop_has_changed(interlock_logical_thread *thread, void *context) HIDDEN;

enum { INTERLOCK_MOST_UNITS = 64 };
/// Writes an operation for each unit of 8 bytes of an access; returns their number. An access of
/// more than `INTERLOCK_MOST_UNITS` units is one unknown operation. The caller hides its calls.
size_t interlock_operations_on(interlock_operation_kind kind, uintptr_t address, size_t size,
                               interlock_operation operations[INTERLOCK_MOST_UNITS]) HIDDEN;

#endif
#endif
