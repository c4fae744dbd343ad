// The ends of awaited calls: see await_ends.c. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_AWAIT_ENDS_H
#define INTERLOCK_AWAIT_ENDS_H

#include "await_table.h"

#ifdef INTERLOCK_INTERPOSES

/// The stub at which the caller of an awaited call resumes; and the stubs of the bodies of groups
/// and of continuations.
extern const char interlock_await_ended[], interlock_group_body[],
    interlock_continuation_body[] HIDDEN;

/// The number of tasks in a call of a sequence: most processes never have one.
extern uint32_t interlock_blind_count HIDDEN;

/// True if a call's context, which is in a register, begins with its caller's context and a resume
/// address.
bool interlock_await_has_context(const interlock_async_context *context) HIDDEN;

/// The record of an asynchronous function (ABI): the distance to its code, and the size of its
/// context.
typedef struct {
  int32_t distance;
  uint32_t context_size;
} async_function;

static inline interlock_object_kind interlock_await_object_of(await_kind kind) {
  return kind == STREAM ? INTERLOCK_OBJECT_STREAM : INTERLOCK_OBJECT_CONTINUATION;
}

/// True if a cancellation ends a wait of this kind, or calls a handler before its end. An explored
/// thread performs an operation at the end of such a wait.
static inline bool interlock_await_ends_by_cancellation(await_kind kind) {
  return kind == STREAM || kind == PLAIN || kind == SLEEP;
}

#endif
#endif
