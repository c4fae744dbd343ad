/// The interface by which the check of memory passes accesses of explored threads to the explorer.
/// The functions are NULL in a program that does not explore.
#ifndef INTERLOCK_EXPLORED_MEMORY_H
#define INTERLOCK_EXPLORED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reaches a point at a call site of instrumented code, before an access of any size. `name` is for
/// reports and must stay valid.
void interlock_explored_memory_access(uintptr_t address, size_t size, bool only_reads,
                                      const char *name, uintptr_t place) __attribute__((weak));
/// Called when an explored thread frees memory, which may hold other objects later.
void interlock_explored_memory_freed(uintptr_t address, size_t size) __attribute__((weak));
/// Called when an explored thread that has performed an atomic operation writes memory by other
/// code. A size of 0 means that the code does not show what it writes.
void interlock_explored_memory_written(uintptr_t address, size_t size) __attribute__((weak));

/// True if the atomics of instrumented code are steps, because its memory is checked. NULL in a
/// program without the check.
bool interlock_memory_controls_atomics(void) __attribute__((weak));
static inline bool interlock_atomics_are_controlled(void) {
  return interlock_memory_controls_atomics && interlock_memory_controls_atomics();
}

/// An atomic operation of instrumented code, of any size.
typedef struct {
  bool reads, writes;
  /// The name for reports; it stays valid.
  const char *name;
  uintptr_t address;
  size_t size;
  /// A hash of the operation's operands.
  uint64_t operands;
  uintptr_t place;
  /// The frame pointer of the called function. On the stack before the frame are the 5 callee-saved
  /// registers, as the calling code left them. NULL if they are not there.
  const uintptr_t *frame;
  /// True if the operation asks for less than sequential consistency.
  bool is_weaker;
  /// With the weak memory model: the number of stores to the atomic so far, and that number when a
  /// loop that would read the same value again last read it. Otherwise NULL.
  const uint32_t *stores;
  uint32_t seen;
  /// For a compare-exchange, and not part of the hash of its operands: whether it may fail by
  /// itself, and whether it has.
  bool may_fail, has_failed;
  /// Set by the explorer: whether the operation is a step, and whether it is in a loop that would
  /// read the same value again.
  bool is_step, repeats;
  /// Set by the caller after an operation of the weak memory model: whether the operation has
  /// written, and whether it has read the newest store.
  bool has_written, is_newest;
} interlock_atomic_call;

/// Reaches a point of an explored thread before an atomic operation. If the thread is in a loop
/// that would read the same value again, it waits until another thread has changed that value. The
/// atomics in which the compiler's code keeps metadata are no points.
void interlock_explored_atomic(interlock_atomic_call *call) __attribute__((weak));
/// Called after the operation. `failed` is the operation's name if it has only read; otherwise
/// NULL.
void interlock_explored_atomic_was(const interlock_atomic_call *call, const char *failed)
    __attribute__((weak));

/// Called when an explored thread is about to perform a compare-exchange at a call site, of 16
/// bytes if it `is_wide`.
void interlock_explored_exchange(uintptr_t place, bool is_wide) __attribute__((weak));
/// True if the exchange may fail although it finds the expected value: the call says that it is
/// weak, or its source does. True at most once for each thread and call site.
bool interlock_explored_exchange_may_fail(uintptr_t place, bool expects_zero, bool is_known_weak)
    __attribute__((weak));
/// Records that the exchange fails by itself. Returns the address to which the call must return; 0
/// if the call itself says that it failed.
uintptr_t interlock_explored_exchange_failed(uintptr_t place) __attribute__((weak));

// The weak memory model of the running exploration.

/// True if loads of atomics may read older stores, as their memory orders allow.
bool interlock_explored_memory_is_weak(void) __attribute__((weak));
/// The number of the running execution, and the number of the running step in it, from 0.
uint64_t interlock_explored_execution(void) __attribute__((weak));
size_t interlock_explored_step(void) __attribute__((weak));
/// True if the running thread could not have taken its step before an earlier step, or if the
/// strategy does not know.
bool interlock_explored_comes_after(size_t step) __attribute__((weak));
/// Returns a chosen value below `count`, which is at most 64. Values without a bit in `useful` lead
/// only to outcomes that other orders have as well. 0 has its bit.
uint32_t interlock_explored_pick(uint32_t count, uint64_t useful) __attribute__((weak));
/// The effect of an atomic operation.
typedef struct {
  bool reads, writes;
  int memory_order;
  /// True if the value has 16 bytes; `upper` is then the upper half.
  bool is_wide;
  uint64_t upper;
  /// The value that the operation reads; 1 + the step that stored it, 0 for the first value; and 1
  /// + the step of the newest store, 0 if the operation reads that store.
  uint64_t value;
  size_t store, newest;
} interlock_atomic_effect;
/// Records the effect in the running step.
void interlock_explored_atomic_did(const interlock_atomic_effect *effect) __attribute__((weak));
/// Returns the memory order to use for an operation at a call site.
int interlock_explored_memory_order(uintptr_t place, int memory_order) __attribute__((weak));
/// Records that the model leaves something out; the result names it.
void interlock_explored_memory_gap(const char *name) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
