/// What the tests of the events need of C: forks, signal handlers, thread-local destructors, code
/// before main.
#ifndef SYNC_EVENTS_TEST_H
#define SYNC_EVENTS_TEST_H

#include <stdbool.h>
#include <stdint.h>

/// What ran before main, where `SYNC_EVENTS_BEFORE_MAIN` was set: how many readers' events were
/// heard of a lock taken before any constructor, and of locks and blocks in constructors. -1 where
/// nothing ran.
int sync_events_heard_before_constructors(void);
int sync_events_heard_in_constructor(void);

/// Forks while other threads lock without end, `count` times; each child locks, posts, and exits,
/// or becomes another program if `exec` is not 0. Gives how many children ended well.
int sync_events_fork(int count, int exec);

/// Forks while other threads hold the locks of the work items and of the sections' locks for much
/// of the time; each child uses both. Gives how many of `count` children ended well, up to the
/// first that did not within 5 s.
int sync_events_fork_in_locks(int count);

/// Has a thread open a library that waits in its constructor, and meanwhile a signal's handler post
/// a semaphore for the first time. Gives 1 if the post was made; the process ends by SIGALRM where
/// it is never made.
int sync_events_post_while_loading(const char *path);

/// Has a thread lock, wait and post for `seconds`, while it is interrupted `interval` microseconds
/// apart by a handler that posts a semaphore and tries a lock. Gives how many posts were not taken
/// again afterwards, which is 0 if nothing was lost; -1 if there was no signal, -2 if a wait
/// failed, -3 if the handler's errno was changed.
long sync_events_signal_storm(double seconds, long interval);

/// Ends `count` threads, one after the other, whose thread-local destructors lock in each of the
/// rounds there are. Gives how often they did.
long sync_events_locks_at_thread_end(int count);

/// Starts `count` threads that lock and hand a block to a queue, `together` at a time alive at
/// once. Gives how many blocks ran.
long sync_events_many_threads(int count, int together);

/// Opens a library and calls what it makes of `sync_events_late` with the two questions that it
/// asks; gives its result, or -1 where it cannot be opened.
int sync_events_open_late(const char *path);

struct timespec;

/// The calls that take a clock, which Swift does not import.
typedef enum {
  SYNC_EVENTS_CLOCK_MUTEX,
  SYNC_EVENTS_CLOCK_READ_LOCK,
  SYNC_EVENTS_CLOCK_WRITE_LOCK,
  SYNC_EVENTS_CLOCK_CONDITION,
  SYNC_EVENTS_CLOCK_SEMAPHORE,
} sync_events_clock_call;

/// Makes one of them by the wall clock; `mutex` is a condition's. Gives its result.
int sync_events_wait_by_clock(sync_events_clock_call call, void *object, void *mutex,
                              const struct timespec *end);

/// Dispatch's calls for what runs once, which Swift does not import.
typedef enum { SYNC_EVENTS_ONCE_FUNCTION, SYNC_EVENTS_ONCE_BLOCK } sync_events_once_call;

/// Makes one of them, whether the predicate is done already or not.
void sync_events_once(sync_events_once_call call, intptr_t *predicate, void *context,
                      void (*function)(void *));

/// Ends the process by SIGALRM in so many seconds, also where whoever started it has blocked that;
/// with 0, no more.
void sync_events_end_in(unsigned seconds);

/// The path of the library that a symbol comes from; NULL where there is none.
const char *sync_events_library_of(const char *symbol);

/// Publishes events, and swaps the reader after the first instruction of the first, the second of
/// the second, and so on. Gives how often a reader was called with another's context; -1 where it
/// could not be tried.
long sync_events_mixed_readers(void);

/// Lets a signal come to the calling thread that whoever started the process has blocked.
void sync_events_unblock(int signal);

/// Resident memory of this process in bytes.
long sync_events_resident_bytes(void);

#endif
