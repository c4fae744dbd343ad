#ifndef INTERLOCK_STACK_CAPTURE_H
#define INTERLOCK_STACK_CAPTURE_H

// Stacks of a process's threads, written by a signal handler into memory that another process may
// share. Not part of the users' API.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of frames of one thread's stack.
#define INTERLOCK_STACK_FRAMES 48

/// One thread's stack, in memory that the parent shares.
typedef struct {
  /// The round of the stack, plus 1; `UINT32_MAX` while a handler writes it. Written last.
  uint32_t state;
  uint32_t thread;
  uint32_t count;
  uint32_t reserved;
  uintptr_t frames[INTERLOCK_STACK_FRAMES];
} interlock_stack_slot;

/// The header of the slots, which threads take in the order of their arrival. `capacity` slots
/// follow it.
typedef struct {
  /// The number of the next slot; above 32 bits, the round.
  uint64_t next;
  uint32_t capacity;
  uint32_t reserved;
} interlock_stack_area;

/// Installs a handler of SIGPROF that writes the stack of its thread to `area`, which is never
/// freed. Returns false if the handler could not be installed.
bool interlock_stack_capture_install(interlock_stack_area *area);

/// Begins a round, which has no stacks yet; the parent calls it before it sends the signals. A
/// handler of an earlier round may still run: it keeps its slot, and no other handler takes that
/// slot before it has left.
void interlock_stack_area_reset(interlock_stack_area *area);

/// Returns the number of slots that the round may have used so far. The parent passes the number of
/// slots, here and below, because a subject that corrupts its memory may overwrite `capacity`.
uint32_t interlock_stack_area_used(const interlock_stack_area *area, uint32_t capacity);

/// Returns the slot with this number, or NULL while it has no complete stack of the round.
const interlock_stack_slot *interlock_stack_area_slot(const interlock_stack_area *area,
                                                      uint32_t capacity, uint32_t index);

/// Sends a signal to one thread of another process. Returns false if that fails, or the system has
/// no such call.
bool interlock_signal_thread(int process, int64_t thread, int signal);

#ifdef __cplusplus
}
#endif

#endif
