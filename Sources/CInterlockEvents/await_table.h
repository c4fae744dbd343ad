// The table of what tasks await. Not for users of the target.
#ifndef INTERLOCK_AWAIT_TABLE_H
#define INTERLOCK_AWAIT_TABLE_H

#include "interpose_awaits.h"

#ifdef INTERLOCK_INTERPOSES

typedef enum {
  PLAIN,
  SEQUENCE,
  CONTINUATION,
  STREAM,
  UNSAFE_CONTINUATION,
  TASK,
  GROUP,
  GROUP_SCOPE,
  /// `Task.yield`.
  YIELDS,
  /// Not an awaited call but the task's own function, whose end is that of the task.
  TASK_END
} await_kind;

typedef struct {
  uintptr_t key;
  /// Where the caller goes on.
  uintptr_t resume;
  /// The task that waits, and what it waits for; `awaited` is 0 where that is not known.
  uintptr_t task, awaited;
  interlock_object_kind awaited_kind;
  await_kind kind;
  /// Whether the call is the outermost of a sequence's, whether it is known as a wait, and whether
  /// its end is an event.
  bool is_blind, is_waiting, is_told;
} pending_await;

/// Contexts, tasks and what an `async let` keeps are aligned to 16 bytes.
static inline uintptr_t key_of_switch(uintptr_t task) { return task | 1; }
static inline uintptr_t key_of_blind(uintptr_t task) { return task | 2; }
static inline uintptr_t key_of_let(uintptr_t let) { return let | 3; }

/// The entry of a key; NULL if there is none.
pending_await *interlock_await_find(uintptr_t key) HIDDEN;
/// The entry of a key, made if there is none; NULL if there is no room.
pending_await *interlock_await_put(uintptr_t key, uintptr_t resume, await_kind kind) HIDDEN;
void interlock_await_remove(pending_await *entry) HIDDEN;
/// Notes what a task waits for until the entry is removed.
void interlock_await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                            uintptr_t object) HIDDEN;

#endif
#endif
