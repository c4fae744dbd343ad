/// The check of memory passes accesses of explored threads to the explorer by these functions. They
/// are NULL in a program that does not explore.
#ifndef INTERLOCK_EXPLORED_MEMORY_H
#define INTERLOCK_EXPLORED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point at a call site of instrumented code, before an access of any size, with a name for
/// reports that lasts.
void interlock_explored_memory_access(uintptr_t address, size_t size, bool only_reads,
                                      const char *name, uintptr_t place) __attribute__((weak));
/// An explored thread gives memory back: what comes to be there is another object.
void interlock_explored_memory_freed(uintptr_t address, size_t size) __attribute__((weak));
/// An explored thread that has performed an atomic operation writes memory otherwise. A size of 0
/// is for code that does not show what it writes.
void interlock_explored_memory_written(uintptr_t address, size_t size) __attribute__((weak));

/// Whether the atomics of instrumented code are steps: where its memory is checked. NULL in a
/// program without the check.
bool interlock_memory_controls_atomics(void) __attribute__((weak));
static inline bool interlock_atomics_are_controlled(void) {
  return interlock_memory_controls_atomics && interlock_memory_controls_atomics();
}

/// An atomic operation of instrumented code, of any size.
typedef struct {
  bool reads, writes;
  /// For reports; it lasts.
  const char *name;
  uintptr_t address;
  size_t size;
  /// A hash of its operands.
  uint64_t operands;
  uintptr_t place;
  /// The frame pointer of the function that the code called: before the frame, in the order of the
  /// stack, are the 5 registers that calls keep, as the code left them. NULL if they are not.
  const uintptr_t *frame;
  /// Whether it asks for less than sequential consistency.
  bool is_weaker;
  /// With the weak memory model: how many stores the atomic has had, and how many when a loop that
  /// would read the same again read it last. Else NULL.
  const uint32_t *stores;
  uint32_t seen;
  /// A compare-exchange, the hash of whose operands does not say it: whether it may fail by itself,
  /// and whether it has.
  bool may_fail, has_failed;
  /// Whether the operation is a step, and whether it is in such a loop: the explorer sets both.
  bool is_step, repeats;
  /// The caller sets both after an operation of the weak memory model: whether it has written, and
  /// whether it has read the newest store.
  bool has_written, is_newest;
} interlock_atomic_call;

/// A point of an explored thread before an atomic operation. If the thread is in a loop that would
/// read the same again, it waits until another thread has changed that. The atomics by which
/// the compiler's code keeps metadata are no points.
void interlock_explored_atomic(interlock_atomic_call *call) __attribute__((weak));
/// Called after the operation. `failed` is the name of one that has only read, else NULL.
void interlock_explored_atomic_was(const interlock_atomic_call *call, const char *failed)
    __attribute__((weak));

/// An explored thread is about to perform a compare-exchange at a call site, of 16 bytes if it
/// `is_wide`.
void interlock_explored_exchange(uintptr_t place, bool is_wide) __attribute__((weak));
/// Whether the exchange may fail although it finds the value that it expects: if the call says that
/// it is a weak one, or its source does. Once for each thread and call site.
bool interlock_explored_exchange_may_fail(uintptr_t place, bool expects_zero, bool is_known_weak)
    __attribute__((weak));
/// The exchange fails so. Returns where the call returns to, unless it says itself that it failed.
uintptr_t interlock_explored_exchange_failed(uintptr_t place) __attribute__((weak));

// The weak memory model of the running exploration.

/// Whether loads of atomics may read older stores, as their memory orders allow.
bool interlock_explored_memory_is_weak(void) __attribute__((weak));
/// The number of the running execution, and that of the running step in it, from 0.
uint64_t interlock_explored_execution(void) __attribute__((weak));
size_t interlock_explored_step(void) __attribute__((weak));
/// Whether the running thread could not have taken its step before an earlier one, or the strategy
/// does not know.
bool interlock_explored_comes_after(size_t step) __attribute__((weak));
/// Chooses a value below `count`, which is at most 64: those without a bit in `useful` lead only to
/// outcomes that other orders have as well. 0 has its bit.
uint32_t interlock_explored_pick(uint32_t count, uint64_t useful) __attribute__((weak));
/// The effect of an atomic operation.
typedef struct {
  bool reads, writes;
  int memory_order;
  /// Whether the value has 16 bytes; `upper` are the upper 8 then.
  bool is_wide;
  uint64_t upper;
  /// The value that it reads, and 1 + the step that stored it, 0 for the first value; the step of
  /// the newest store likewise, 0 if it reads that one.
  uint64_t value;
  size_t store, newest;
} interlock_atomic_effect;
/// Notes it in the running step.
void interlock_explored_atomic_did(const interlock_atomic_effect *effect) __attribute__((weak));
/// The memory order to take for an operation of a call site.
int interlock_explored_memory_order(uintptr_t place, int memory_order) __attribute__((weak));
/// The model leaves something out, which the result names.
void interlock_explored_memory_gap(const char *name) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
