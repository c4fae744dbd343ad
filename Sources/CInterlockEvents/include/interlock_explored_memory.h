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
} interlock_atomic_call;

/// A point of an explored thread before an atomic operation. If the thread is in a loop that would
/// read the same again, it waits until another thread has changed that. The atomics by which
/// the compiler's code keeps metadata are no points.
void interlock_explored_atomic(const interlock_atomic_call *call) __attribute__((weak));
/// Called after the operation. `failed` is the name of one that has only read, else NULL.
void interlock_explored_atomic_was(const interlock_atomic_call *call, const char *failed)
    __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
