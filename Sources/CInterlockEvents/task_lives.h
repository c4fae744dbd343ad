// Where tasks are made and end (task_lives.c). Not for users of the target.
#ifndef INTERLOCK_TASK_LIVES_H
#define INTERLOCK_TASK_LIVES_H

#include "interlock_lives.h"
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

/// Whether tasks are followed.
extern bool interlock_follows_lives HIDDEN;

/// A note from before the runtime makes a task, which may end before the call returns.
typedef struct {
  uint64_t scope;
  uint32_t ends;
  bool is_followed, is_thread;
} interlock_life_start;

/// The calling thread is about to make a task, from code of `maker`, the running task.
interlock_life_start interlock_life_starts(uintptr_t maker) HIDDEN;
/// The task was made, and may have ended since.
void interlock_life_begins(interlock_life_start start, uintptr_t task,
                           interlock_task_place place) HIDDEN;
/// A thread is about to be made, at `place`. Returns what to give to the other two functions; 0 if
/// the thread is not followed.
uintptr_t interlock_life_of_thread(uintptr_t place) HIDDEN;
/// The calling thread is that one. Its end is noted by itself.
void interlock_life_runs(uintptr_t life) HIDDEN;
/// The thread could not be made.
void interlock_life_refused(uintptr_t life) HIDDEN;
/// A task has ended, whether it is followed or not. Called in the runtime: allocates nothing and
/// waits for nothing.
void interlock_life_ends(uintptr_t task) HIDDEN;

/// Follows no tasks in the child of a fork.
void interlock_lives_forked(void) HIDDEN;

/// Calls `interlock_life_ends` for each task of the process that ends. Returns false if the runtime
/// differs from the known one.
bool interlock_follow_task_ends(void) HIDDEN;

#endif
#endif
