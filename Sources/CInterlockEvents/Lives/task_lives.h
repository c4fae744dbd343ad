// Declares how tasks (task_lives.c), threads and scopes (scope_lives.c), and objects of Dispatch
// (object_lives.c) are recorded when they are made and when they end. Included by
// `CInterlockEvents/` only.
#ifndef INTERLOCK_TASK_LIVES_H
#define INTERLOCK_TASK_LIVES_H

#include "interlock_lives.h"
#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

/// True while tasks are followed.
extern bool interlock_follows_lives HIDDEN;

/// A note made before the runtime makes a task, which may end before the call returns.
typedef struct interlock_life_start {
  uint64_t scope;
  uint32_t ends;
  bool is_followed;
  interlock_live_kind kind;
  /// The task's address, once its first job was enqueued.
  uintptr_t enqueued;
  /// The task that the thread was making when it began to make this one.
  struct interlock_life_start *outer;
} interlock_life_start;

/// An entry of the table. The other fields belong to the thread that claims the entry until it
/// stores `task`, and to a thread that claims the entry again to remove it. The fields of an object
/// belong to object_lives.c.
typedef struct interlock_life {
  uintptr_t task;
  uint64_t number, scope;
  interlock_task_place place;
  interlock_live_kind kind;
  uint32_t thread;
  /// For a queue or a source: the number of its references and of its suspensions.
  int32_t references, suspended;
  bool is_inactive, is_cancelled;
  /// The neighbours in the list of the scopes with the same hash.
  struct interlock_life *next, **before;
} interlock_life;

/// The table (lives.c): find, add and remove an entry. The last two return false if there is no
/// room, or no entry.
interlock_life *interlock_life_find(uintptr_t task) HIDDEN;
bool interlock_life_add(interlock_life_start start, uintptr_t task,
                        interlock_task_place place) HIDDEN;
bool interlock_life_remove(uintptr_t task) HIDDEN;
/// Counts an object that could not be added.
void interlock_life_lost(void) HIDDEN;
/// True if the objects that any code makes are followed. And the scope of `task`, if it is the last
/// followed task that has ended on the calling thread.
bool interlock_life_follows_all(void) HIDDEN;
uint64_t interlock_life_ended_scope(uintptr_t task) HIDDEN;
/// Returns an object of Dispatch that code of the scope has made; 0 if there is none.
uintptr_t interlock_life_object_of(uint64_t scope) HIDDEN;
/// Begins to follow: objects made from now on are noted.
void interlock_lives_begin(interlock_scope_function scope, bool all) HIDDEN;
/// Returns the scope of the calling code, or of `maker`, and whether objects that it makes are
/// followed.
interlock_life_start interlock_life_scope(uintptr_t maker) HIDDEN;
/// True if an entry is one that `interlock_lives_tasks` lists.
bool interlock_life_is_left(const interlock_life *life) HIDDEN;

/// Called when the calling thread is about to make a task, from code of the running task `maker`.
void interlock_life_starts(interlock_life_start *start, uintptr_t maker) HIDDEN;
/// Called when the calling thread is about to enqueue the first job of the task that it makes. Adds
/// a followed task here already, so that the task cannot make another one unseen.
void interlock_life_enqueued(uintptr_t job) HIDDEN;
/// Called when the task was made; it may have ended since.
void interlock_life_begins(interlock_life_start *start, uintptr_t task,
                           interlock_task_place place) HIDDEN;
/// Called when a thread is about to be made, at `place`. Returns the argument for the two functions
/// below; 0 if the thread is not followed.
uintptr_t interlock_life_of_thread(uintptr_t place) HIDDEN;
/// Called on the new thread. Its end is then noted without a call.
void interlock_life_runs(uintptr_t life) HIDDEN;
/// Called when the thread could not be made.
void interlock_life_refused(uintptr_t life) HIDDEN;
/// Called when a task has ended, whether it is followed or not. Called within the runtime:
/// allocates nothing and waits for nothing.
void interlock_life_ends(uintptr_t task) HIDDEN;

/// Called when the calling code has made a queue or a source of Dispatch, by a call that returns to
/// `returns_to`. Objects that a library makes for itself are not followed.
void interlock_life_of_object(const void *object, interlock_live_kind kind, bool is_inactive,
                              uintptr_t returns_to, uintptr_t frame) HIDDEN;
/// Called when an object is retained (1) or released (-1), suspended (1) or resumed (-1),
/// activated, or cancelled.
void interlock_life_referenced(const void *object, int change) HIDDEN;
void interlock_life_suspended(const void *object, int change) HIDDEN;
void interlock_life_activated(const void *object) HIDDEN;
void interlock_life_cancelled(const void *object) HIDDEN;
/// Called when a block is about to be queued with a delay; and when it begins, or never will.
void interlock_life_of_block(const void *item, uintptr_t returns_to, uintptr_t frame) HIDDEN;
void interlock_life_block_begins(const void *item) HIDDEN;

/// Stops following tasks in the child of a fork.
void interlock_lives_forked(void) HIDDEN;

/// Calls `interlock_life_ends` for each task of the process that ends. Returns false if the runtime
/// differs from the known one.
bool interlock_follow_task_ends(void) HIDDEN;

#endif
#endif
