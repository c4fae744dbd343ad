// The table of what tasks await. Not for users of the target.
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
  /// The next task of a group; the rest of its tasks, with the first failure, and without.
  GROUP,
  GROUP_FAILURE,
  GROUP_REST,
  GROUP_SCOPE,
  /// The body of a group's scope; one that may throw; one behind which the scope throws the first
  /// failure of the group's tasks.
  GROUP_BODY,
  THROWING_BODY,
  FAILING_BODY,
  /// The body that gets a checked continuation.
  CONTINUATION_BODY,
  /// The operation that a cancellation handler belongs to.
  HANDLED_BODY,
  /// The scope of a task-local value.
  LOCAL_SCOPE,
  /// `Task.yield`.
  YIELDS,
  /// Not an awaited call but the task's own function, whose end is that of the task.
  TASK_END
} await_kind;

typedef struct {
  uintptr_t key;
  /// Where the caller resumes.
  uintptr_t resume;
  /// The waiting task, and what it waits for; `awaited` is 0 if not known. Of a body,
  /// where the caller of its scope resumes, and the group.
  uintptr_t task, awaited;
  interlock_object_kind awaited_kind;
  await_kind kind;
  /// The callers of a sleep: see `interlock_call_view`.
  uintptr_t outer[interlock_most_outer];
  /// Whether the call is the outermost one of a sequence, is published as a wait, and has its end
  /// published.
  bool is_blind, is_waiting, is_published;
} pending_await;

/// Contexts, tasks and the storage of an `async let` are aligned to 16 bytes: the low bits tell the
/// kinds of key apart.
static inline uintptr_t key_of_switch(uintptr_t task) { return task | 1; }
static inline uintptr_t key_of_blind(uintptr_t task) { return task | 2; }
static inline uintptr_t key_of_body(uintptr_t task) { return task | 4; }
static inline uintptr_t key_of_let(uintptr_t let) { return let | 3; }

/// Returns the entry of a key; NULL if there is none.
pending_await *interlock_await_find(uintptr_t key) HIDDEN;
/// Returns the entry of a key, made if there is none; NULL if the table is full.
pending_await *interlock_await_put(uintptr_t key, uintptr_t resume, await_kind kind) HIDDEN;
void interlock_await_remove(pending_await *entry) HIDDEN;
/// Records the task that waits at the end of a call without an object, which got `context`.
void interlock_await_call(pending_await *entry, uintptr_t task,
                          const interlock_async_context *context) HIDDEN;
/// Records what a task waits for until the entry is removed.
void interlock_await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                            uintptr_t object) HIDDEN;

#endif
#endif
