// The operations of the running step, and the facts that an exploration learns from them.
#include "../Memory/waiting_loops.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>

#define ENGINE interlock_the_engine

/// Returns the address that called the function in which `place` lies, from the frame pointers of
/// this stack; 0 if they do not tell.
uintptr_t interlock_caller_of(uintptr_t place) {
  enum { most_frames = 12, farthest = 4096 };
  const uintptr_t *frame = __builtin_frame_address(0);
  for (int count = 0; place && count < most_frames; count++) {
    const uintptr_t *next = (const uintptr_t *)frame[0];
    bool is_near = next > frame && (uintptr_t)next - (uintptr_t)frame < farthest &&
                   (uintptr_t)next % sizeof *next == 0;
    if (!is_near) return 0;
    if (frame[1] == place) return next[1];
    frame = next;
  }
  return 0;
}

void interlock_name_call(const char *name) { ENGINE.current->call = name; }

void interlock_call_turned_out(const char *name) {
  char *call = ENGINE.trace.items[ENGINE.trace.count - 1].call;
  snprintf(call, INTERLOCK_CALL_BYTES, "%s", name);
}

static bool is_signal(const interlock_operation *operation) {
  switch (operation->kind) {
    case INTERLOCK_OPERATION_SIGNAL:
    case INTERLOCK_OPERATION_BROADCAST:
    case INTERLOCK_OPERATION_SEMAPHORE_SIGNAL:
    case INTERLOCK_OPERATION_CONTINUATION_RESUME: return true;
    default: return false;
  }
}

void interlock_did(interlock_operation operation) {
  if (ENGINE.current && ENGINE.current->loop) interlock_loop_has_step(ENGINE.current);
  INTERLOCK_PUSH(&ENGINE.performed, operation);
  if (ENGINE.trace.count && is_signal(&operation)) {
    ENGINE.trace.items[ENGINE.trace.count - 1].signals = true;
  }
}

int32_t interlock_locks_taken(void) {
  int32_t taken = 0;
  for (size_t index = 0; index < ENGINE.performed.count; index++) {
    const interlock_operation *did = &ENGINE.performed.items[index];
    switch (did->kind) {
      case INTERLOCK_OPERATION_LOCK:
      case INTERLOCK_OPERATION_TRY_LOCK:
      case INTERLOCK_OPERATION_LOCK_SHARED:
      case INTERLOCK_OPERATION_TRY_LOCK_SHARED:
        taken += !(did->flags & INTERLOCK_OPERATION_FAILED);
        break;
      case INTERLOCK_OPERATION_UNLOCK:
      case INTERLOCK_OPERATION_UNLOCK_SHARED:
      case INTERLOCK_OPERATION_WAIT: taken--; break;
      default: break;
    }
  }
  return taken;
}

void interlock_turned_out(interlock_operation operation) {
  interlock_operation *asked = &ENGINE.performed.items[ENGINE.asked];
  // The caller need not know that its wait was a try.
  operation.flags |= asked->flags & INTERLOCK_OPERATION_TRIED;
  *asked = operation;
  if (ENGINE.asked == 0) ENGINE.trace.items[ENGINE.trace.count - 1].operation = operation;
}

void interlock_learn(interlock_exploration_fact fact) {
  if (interlock_is_known(fact)) return;
  ENGINE.result->facts |= fact;
  // Warm-up executions may learn facts without a restart. For the order of sections the caller must
  // act, so the exploration ends.
  bool needs_caller = fact == INTERLOCK_FACT_SECTIONS;
  // A new process finds no state that earlier executions have left behind.
  if (fact == INTERLOCK_FACT_KEEPS_STATE || fact == INTERLOCK_FACT_INITIALISERS) {
    if (ENGINE.is_child) ENGINE.result->must_begin_anew = true;
    return;
  }
  if (!ENGINE.is_warming_up || needs_caller) ENGINE.result->must_begin_anew = true;
}

void interlock_note_initialiser(interlock_operation operation) {
  switch (operation.kind) {
    // A read of a clock or of a file changes nothing for other threads.
    case INTERLOCK_OPERATION_READ_CLOCK:
    case INTERLOCK_OPERATION_FILE_READ:
    case INTERLOCK_OPERATION_FOLDER_PASS:
    // A wait for another initialiser, or for a lock of the runtime.
    case INTERLOCK_OPERATION_UNKNOWN:
    case INTERLOCK_OPERATION_YIELD: return;
    default: break;
  }
  if (operation.object != UINT32_MAX && operation.object >= INTERLOCK_FIRST_LIBRARY_OBJECT) return;
  interlock_learn(INTERLOCK_FACT_INITIALISERS);
}

bool interlock_is_known(interlock_exploration_fact fact) { return ENGINE.result->facts & fact; }

void interlock_note_task_threads(uint32_t count) {
  if (count > ENGINE.result->most_task_threads) ENGINE.result->most_task_threads = count;
}

void interlock_note_full_pool(void) { ENGINE.result->blocks_fill_pool = true; }

void interlock_note_try(void) { interlock_learn(INTERLOCK_FACT_TRIES); }

#endif
