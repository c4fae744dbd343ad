// The table of the waits of tasks. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_AWAIT_TABLE_H
#define INTERLOCK_AWAIT_TABLE_H

#include "interlock_lives.h"
#include "interpose_awaits.h"

#ifdef INTERLOCK_INTERPOSES

typedef enum {
  PLAIN,
  SLEEP,
  SEQUENCE,
  CONTINUATION,
  STREAM,
  UNSAFE_CONTINUATION,
  TASK,
  /// A wait for the next task of a group; for the rest of its tasks, with the first failure; and
  /// for the rest, without.
  GROUP,
  GROUP_FAILURE,
  GROUP_REST,
  GROUP_SCOPE,
  /// The body of a group's scope; a body that may throw; a body after which the scope throws the
  /// first failure of the group's tasks.
  GROUP_BODY,
  THROWING_BODY,
  FAILING_BODY,
  /// The body that receives a checked continuation.
  CONTINUATION_BODY,
  /// The operation that a cancellation handler belongs to.
  HANDLED_BODY,
  /// The scope of a task-local value.
  LOCAL_SCOPE,
  /// `Task.yield`.
  YIELDS,
  /// The task's own function, which is not an awaited call; its end is the task's end.
  TASK_END
} await_kind;

typedef struct {
  uintptr_t key;
  /// The address at which the caller resumes.
  uintptr_t resume;
  /// The waiting task, and the object for which it waits; `awaited` is 0 if that is not known. For
  /// a body: the address at which the caller of its scope resumes, and the group.
  uintptr_t task, awaited;
  interlock_object_kind awaited_kind;
  await_kind kind;
  /// The callers of a sleep: see `interlock_call_view`.
  uintptr_t outer[interlock_most_outer];
  /// True if the call is the outermost one of a sequence; is published as a wait; has its end
  /// published.
  bool is_blind, is_waiting, is_published;
} pending_await;

/// Contexts, tasks and the storage of an `async let` are aligned to 16 bytes, so the low bits
/// distinguish the kinds of keys.
static inline uintptr_t key_of_switch(uintptr_t task) { return task | 1; }
static inline uintptr_t key_of_blind(uintptr_t task) { return task | 2; }
static inline uintptr_t key_of_body(uintptr_t task) { return task | 4; }
static inline uintptr_t key_of_let(uintptr_t let) { return let | 3; }

/// Returns the entry of a key; NULL if there is none.
pending_await *interlock_await_find(uintptr_t key) HIDDEN;
/// Returns the entry of a key, and makes it if there is none; NULL if the table is full.
pending_await *interlock_await_put(uintptr_t key, uintptr_t resume, await_kind kind) HIDDEN;
void interlock_await_remove(pending_await *entry) HIDDEN;
/// Records that a task waits at the end of a call without an object. The call's context is
/// `context`.
void interlock_await_call(pending_await *entry, uintptr_t task,
                          const interlock_async_context *context) HIDDEN;
/// Records the object for which a task waits until the entry is removed.
void interlock_await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                            uintptr_t object) HIDDEN;

#endif
#endif
