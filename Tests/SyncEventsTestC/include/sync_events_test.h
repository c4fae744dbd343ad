/// C code of the events' tests: forks, signal handlers, thread-local destructors, code before main.
#ifndef SYNC_EVENTS_TEST_H
#define SYNC_EVENTS_TEST_H

#include <stdbool.h>
#include <stdint.h>

/// The number of events that the readers recorded before main if `SYNC_EVENTS_BEFORE_MAIN` is set:
/// of a lock acquired before any constructor, and of locks and blocks in constructors. -1 if this
/// code did not run.
int sync_events_heard_before_constructors(void);
int sync_events_heard_in_constructor(void);

/// Forks `count` times while other threads lock without end. Each child locks, posts and exits, or
/// becomes another program if `exec` is not 0. Returns the number of children that ended well.
int sync_events_fork(int count, int exec);

/// Checks the private layouts in the child of a fork. Returns 1 if all of them hold there, 0 if one
/// does not, and -1 if there is no child.
int sync_events_layouts_hold_in_fork(void);

/// Forks while other threads often hold the locks of the work items and of the sections' locks.
/// Each child uses both. Returns how many of `count` children ended well, up to the first that did
/// not within 5 s.
int sync_events_fork_in_locks(int count);

/// Makes a thread open a library that waits in its constructor. Meanwhile a signal handler posts a
/// semaphore for the first time. Returns 1 if the post was made; otherwise SIGALRM ends the
/// process.
int sync_events_post_while_loading(const char *path);

/// Makes a thread lock, wait and post for `seconds`, interrupted every `interval` microseconds by a
/// handler that posts a semaphore and tries a lock. Returns the number of posts that could not be
/// taken afterwards (0 if none was lost); -1 if there was no signal, -2 if a wait failed, -3 if
/// errno was changed.
long sync_events_signal_storm(double seconds, long interval);

/// Ends `count` threads, one after another. Their thread-local destructors lock in each round of
/// destructors. Returns the number of these locks.
long sync_events_locks_at_thread_end(int count);

/// Starts `count` threads that lock and enqueue a block, `together` of them alive at once. Returns
/// the number of blocks that ran.
long sync_events_many_threads(int count, int together);

/// Makes threads add and remove entries of the analysis' hash table, each with its own keys, while
/// they search for them. Returns the number of wrong searches; -1 if there were no threads.
long sync_events_search_table(void);

/// Takes two locks that are C variables, in one of two orders.
void sync_events_static_locks(bool swapped);

/// Runs a body under a POSIX spin lock (`spin`) or a C11 mutex (`c11`), or behind a thread barrier
/// (`barrier`). There are two of each. One thread at a time may call it.
void sync_events_with_gate(const char *kind, int index, void (*body)(void *), void *context);
/// Takes one of the two locks twice.
void sync_events_relock_static_lock(void);

/// Requests a thread with a stack that no machine has; returns the error code.
int sync_events_refused_thread(void);

/// Opens a library and calls its `sync_events_late` with the two functions that it takes. Returns
/// the result, or -1 if the library cannot be opened.
int sync_events_open_late(const char *path);

struct timespec;

/// Calls with a clock as argument, which Swift does not import.
typedef enum {
  SYNC_EVENTS_CLOCK_MUTEX,
  SYNC_EVENTS_CLOCK_READ_LOCK,
  SYNC_EVENTS_CLOCK_WRITE_LOCK,
  SYNC_EVENTS_CLOCK_CONDITION,
  SYNC_EVENTS_CLOCK_SEMAPHORE,
} sync_events_clock_call;

/// Makes one of these calls by the wall clock; `mutex` is a condition's. Returns its result.
int sync_events_wait_by_clock(sync_events_clock_call call, void *object, void *mutex,
                              const struct timespec *end);

/// Dispatch's calls for one-time initialisation, which Swift does not import.
typedef enum { SYNC_EVENTS_ONCE_FUNCTION, SYNC_EVENTS_ONCE_BLOCK } sync_events_once_call;

/// Makes one of these calls, even if the predicate is already done.
void sync_events_once(sync_events_once_call call, intptr_t *predicate, void *context,
                      void (*function)(void *));

/// Ends the process by SIGALRM in `seconds`, even if its parent has blocked the signal; 0 cancels
/// this.
void sync_events_end_in(unsigned seconds);

/// The path of the library that defines a symbol; NULL if there is none.
const char *sync_events_library_of(const char *symbol);

/// Publishes events, and swaps the reader after the first instruction of the first event, after
/// the second of the second, and so on. Returns how often a reader was called with the context of
/// another; -1 if the test could not run.
long sync_events_mixed_readers(void);

/// Unblocks a signal on the calling thread: the process's parent may have blocked it.
void sync_events_unblock(int signal);

/// Calls a block for one module, in a callback of `dl_iterate_phdr`, under the loader's lock.
int sync_events_in_loader_callback(void (^body)(void));

/// Locks and unlocks until a timer has sent `count` signals. Their handler posts a semaphore and
/// takes a lock. Returns the number of signals minus the number of posts.
long sync_events_signals(long count);
/// The number of these signals minus the number of posts that the analysis has seen.
long sync_events_unseen_signals(void);
/// Sets and reads handlers. Returns 0 if each is unchanged, or else the number of the first fault.
int sync_events_handlers_are_kept(void);

/// Delays a handler that writes its thread's stack until a second round uses the slots. Returns 0
/// if that round has only the stacks of its own threads, or else the number of the fault.
int sync_events_late_stack(void);
/// Keeps the calling thread from a processor until a byte is written to the pipe.
void sync_events_starve(int until_written);
/// Whether a leaf reader gets the events of a mutex straight from the interposed call, alone and
/// beside a second reader. Returns a bit for each: 1 alone, 2 beside a reader of other events,
/// 4 beside a reader of the mutex's events.
int sync_events_direct_lock_events(void);

/// Takes Interlock's own locks wrongly: "cycle" takes two in both orders, "foreign" takes a mutex
/// under one, "handler" takes a mutex in a signal's handler that was set past `sigaction`, and
/// "allocation" allocates under one. Correct are "none", which takes two in one order, and
/// "waiting", in which a signal's handler takes a mutex. Returns false for any other way.
bool sync_events_take_own_locks(const char *way);

/// Waits in an epoll of its own for a timer of its own.
void sync_events_wait_for_own_timer(long nanoseconds);
/// Waits for a semaphore that a handler of this process' alarm posts.
void sync_events_wait_for_handler(unsigned seconds);
/// Sets handlers that end no wait: an ignored signal, one that is reset, and those of faults.
void sync_events_set_handlers_without_use(void);
/// Waits for what a child releases after `seconds`: a "semaphore", a "mutex", a "condition".
/// Returns false if the child fails.
bool sync_events_wait_for_child(const char *what, unsigned seconds);
/// Deadlocks two threads by two mutexes in memory that processes share.
void sync_events_deadlock_in_shared_memory(void);
/// Waits for ever for a semaphore that processes may share, in memory that no other process has.
void sync_events_wait_for_private_semaphore(void);

/// Resident memory of this process in bytes.
long sync_events_resident_bytes(void);

#endif
