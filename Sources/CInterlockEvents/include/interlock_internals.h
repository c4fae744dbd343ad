// Declarations shared by the C targets. Not part of the module, so Swift does not import them;
// included by the C targets only.
#ifndef INTERLOCK_INTERNALS_H
#define INTERLOCK_INTERNALS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERLOCK_SANITIZED 1
#endif
#endif

#if defined(INTERLOCK_UNSEEN_CALLS)
// The package trait `UnseenCalls`: interpose nothing.
#elif defined(__linux__) && defined(__GLIBC__) && !defined(INTERLOCK_SANITIZED)
#define INTERLOCK_INTERPOSES 1
#elif defined(__linux__) && !defined(INTERLOCK_SANITIZED)
// Defines __GLIBC__, if no header of the C library has been read yet.
#include <features.h>
#if defined(__GLIBC__)
#define INTERLOCK_INTERPOSES 1
#endif
#endif

#ifdef __linux__
#include <pthread.h>
#include <threads.h>
#else
#include <sched.h>
#endif

#include "interlock_events.h"
#include "interlock_layouts.h"
#include "interlock_objects.h"
#include "interlock_places.h"

#define HIDDEN __attribute__((visibility("hidden")))

// Lets another thread run. Not by `sched_yield`, which is interposed: the explorer would take the
// call for a step of the user's code.
static inline void give_way(void) {
#ifdef __linux__
  thrd_yield();
#else
  sched_yield();
#endif
}

#ifdef INTERLOCK_INTERPOSES

/// Returns the word of a mutex or a read-write lock in which its creation stores its call site.
/// glibc does not use that word, except in a robust or priority-inheriting mutex: then NULL. If
/// memory is freed and a lock is initialised there by assignment, which no call shows, the word
/// differs, so the lock is recognised as another one.
static inline uintptr_t *interlock_creation_mark(uint32_t kind, void *lock) {
  enum { robust = 16, inherits = 32 };
  if (kind == INTERLOCK_OBJECT_WRITE_LOCK) return &((pthread_rwlock_t *)lock)->__data.__pad2;
  pthread_mutex_t *mutex = lock;
  if (mutex->__data.__kind & (robust | inherits)) return NULL;
  return (uintptr_t *)&mutex->__data.__list.__next;
}
static inline void interlock_mark_creation(uint32_t kind, void *lock, uintptr_t place) {
  uintptr_t *mark = interlock_creation_mark(kind, lock);
  if (mark) *mark = place;
}

/// True from the first reader of clocks on: the items of blocks have clocks.
extern bool interlock_items_have_clocks HIDDEN;

/// Above 0 while the calling thread changes one of Interlock's tables, or holds one of its locks. A
/// signal that arrives meanwhile waits until the count is 0 again (interpose_signals.c).
extern __thread uint32_t interlock_changes __attribute__((tls_model("initial-exec"))) HIDDEN;
/// The signals that wait for the end of the change, as the kernel's mask: bit 0 is signal 1.
extern __thread uint64_t interlock_waiting_signals
    __attribute__((tls_model("initial-exec"))) HIDDEN;
void interlock_deliver_signals(void) HIDDEN;

static inline void begin_change(void) {
  interlock_changes++;
  // Keeps the compiler from moving the change past its marks, which a signal handler reads.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
__attribute__((always_inline)) static inline void end_change(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  uint32_t left = --interlock_changes;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(interlock_waiting_signals && left == 0, 0)) interlock_deliver_signals();
}
/// True if a signal handler has interrupted a change. Only a handler can that was not set by
/// `sigaction` or `signal`, or that handles a fault.
static inline bool is_in_change(void) { return interlock_changes > 0; }

#else
static inline void begin_change(void) {}
static inline void end_change(void) {}
static inline bool is_in_change(void) { return false; }
#endif

// A spin lock for small tables. Not a mutex, whose calls are interposed. Signals wait while a
// thread holds one, because a handler might wait for its own thread, or for a lock whose holder
// waits for this one.
static inline void take(int *lock) {
  begin_change();
  // Acquire: pairs with the release in `give`.
  for (int spins = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); spins++) {
    if (spins > 100) give_way();
  }
}
static inline void give(int *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  end_change();
}

#if defined(DEBUG) && defined(INTERLOCK_INTERPOSES)
// In debug builds, `INTERLOCK_CHECK_OWN_LOCKS` in the environment checks the order of these locks
// (own_locks.c): the order has no cycle, and no foreign lock is taken under one of these locks.
extern bool interlock_checks_own_locks HIDDEN;
void interlock_note_own_lock(const int *lock, const char *file, const char *name) HIDDEN;
void interlock_note_own_unlock(const int *lock) HIDDEN;
void interlock_note_foreign_call(const char *name);
#define interlock_checked(call) (interlock_checks_own_locks ? (call) : (void)0)
#define take(lock) \
  (interlock_checked(interlock_note_own_lock(lock, __FILE_NAME__, #lock)), take(lock))
#define give(lock) (interlock_checked(interlock_note_own_unlock(lock)), give(lock))
/// Notes a call that may take a foreign lock.
#define interlock_foreign_call(name) interlock_checked(interlock_note_foreign_call(name))
#else
#define interlock_foreign_call(name) ((void)0)
#endif

/// For readers of events. False in a build without events.
bool interlock_is_main_thread(void) HIDDEN;

#ifdef INTERLOCK_INTERPOSES

/// The calling thread's number in the system, cached.
uint32_t interlock_thread_id(void) HIDDEN;
/// The number of the thread that started this one; 0 if no reader was active then.
extern __thread uint32_t interlock_started_by __attribute__((tls_model("initial-exec"))) HIDDEN;

/// Frees the analysis' record of the calling thread, which the explorer has cut off, so that its
/// locks and waits no longer count. NULL if no analysis is linked; not hidden, because the address
/// of a hidden function is never NULL.
void interlock_record_cut(void) __attribute__((weak));

/// Returns the task that the calling thread runs, and sets its actor; 0 for none.
uintptr_t interlock_running_task(uintptr_t *actor) HIDDEN;

/// The variables through which the Swift runtime calls the functions that it has for
/// ThreadSanitizer (task_edges.c).
typedef void interlock_edge_function(const void *object);
typedef struct {
  /// The runtime's variables, which are NULL while no reader follows the orders.
  interlock_edge_function **acquire, **release;
  /// The return addresses of two of the runtime's calls: when a thread begins to run a job, and
  /// when a task has ended.
  uintptr_t run_place, end_place;
  /// The first word of each task.
  uintptr_t metadata;
} interlock_task_edges;
/// Learns these facts from a task of its own, which ends at once. Returns false if there is no
/// Swift runtime, or if the runtime differs from the known one, which one line then reports.
bool interlock_learn_task_edges(interlock_task_edges *edges) HIDDEN;

/// Returns true if an address lies in the executable's code.
bool interlock_is_own_code(uintptr_t address) HIDDEN;
/// Returns true if an address lies in the code of the executable or of a library.
bool interlock_is_code(uintptr_t address) HIDDEN;
/// Returns true if an address lies in an interposed function that calls the user's code.
bool interlock_is_between(uintptr_t address) HIDDEN;
/// Finds the return addresses in the user's code on this stack, innermost first, from `place` on,
/// or all if `place` is 0. Includes those in the targets of Interlock. Slow, because it unwinds the
/// stack. Returns how many it wrote; none if `place` is not on the stack. At an asynchronous call,
/// whose callers are on no stack, the addresses come from `interlock_async_frames`.
size_t interlock_user_stack(uintptr_t place, uintptr_t *frames, size_t room) HIDDEN;
/// The functions that wait for this thread's asynchronous call, innermost first, with 0 behind the
/// last; NULL outside such a call, or if the call does not need them.
extern _Thread_local const uintptr_t *interlock_async_frames HIDDEN;

// Queues, by their private layout (queue_layout.c).

enum { interlock_most_roots = 12 };
/// Returns the index of a root queue; -1 for another queue. Roots from 6 on are overcommitting.
int interlock_root_index(uintptr_t queue) HIDDEN;
/// Return the root queue that runs a queue's blocks, and the queue's width; 0 if not known. The
/// queue must be alive.
uintptr_t interlock_queue_root(uintptr_t queue) HIDDEN;
uint32_t interlock_queue_width(uintptr_t queue) HIDDEN;
/// The offsets of a queue's target and width; 0 if not known.
extern size_t interlock_queue_target_offset, interlock_queue_width_offset HIDDEN;
/// The offsets of the first and the last item in a root queue; 0 if not known. Each use confirms
/// them: see `interlock_waits_root_list`.
extern size_t interlock_root_first_offset, interlock_root_last_offset HIDDEN;
/// Returns true if two queues exclude each other's blocks.
///
/// They are then the same queue, or one is serial and in the other's chain of targets.
bool interlock_queues_exclude(uintptr_t queue, uintptr_t other, bool barrier) HIDDEN;

#endif
#endif
