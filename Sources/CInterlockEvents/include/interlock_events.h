/// Synchronisation events of unmodified code: waits, acquisitions, releases and queued blocks.
///
/// The executable that links this target redefines the calls that wait, wake and enqueue; each
/// forwards to the real function and publishes events to the readers.
///
/// A reader is a function called on the thread that makes the call, before the call (`WAIT`,
/// `RELEASE`, `ENQUEUE`) or after it (`ACQUIRE`, `GIVE_UP`, `BEGIN`, `END`, …). A reader that only
/// observes therefore sees each thread's events in order, and a reader that schedules can hold the
/// thread. Several readers may be active at once, independently of each other. Without a reader, a
/// call costs one more load and branch.
///
/// Not available on systems other than Linux, under ThreadSanitizer (whose interceptors have the
/// same names), and, for `dispatch_*`, with a static standard library: see
/// `interlock_events_available`.
#ifndef INTERLOCK_EVENTS_H
#define INTERLOCK_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interlock_event_kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A block that was handed to a queue and has not begun: 56 bytes, which malloc rounds to 64. While
/// a reader follows what blocks are ordered after, 16 bytes more.
typedef struct interlock_item {
  /// The function to call; for a work item, the next item with the same hash; for a block of a
  /// group, the group.
  void *function;
  /// The function's argument; for a work item, the work item.
  void *context;
  /// The queue.
  void *queue;
  /// List links, for the one reader that lists queued blocks. Kept elsewhere, they would cost 64
  /// bytes more per block.
  struct interlock_item *next;
  struct interlock_item *previous;
  /// The call site that enqueued the block in the low 48 bits, the flags in the 15 above, and
  /// whether the item has the two fields for a clock in the last.
  uint64_t origin;
  /// The thread's number in the low 22 bits, and a sequence number above.
  ///
  /// For a delayed block, its due time in nanoseconds of the monotonic clock.
  uint64_t turn;
  /// For the one reader that records the order of blocks: the clock of the thread that enqueued the
  /// block, 0 without one, and that thread's own count.
  uint64_t clock;
  uint64_t clock_count;
} interlock_item;

static inline uint32_t interlock_item_flags(const interlock_item *item) {
  return (uint32_t)(item->origin >> 48) & 0x7fff;
}
static inline bool interlock_item_has_clock(const interlock_item *item) {
  return item->origin >> 63;
}

/// A call of `dispatch_apply`, whose events have its address as `other`. It lives until the call
/// returns.
typedef struct {
  /// For the one reader that records the orders of locks: the calling thread, NULL without such a
  /// reader, and whether its iterations on other threads run under locks that it holds.
  const void *caller;
  bool is_under_locks;
} interlock_application;

/// One event. Valid only during the call of the reader.
typedef struct {
  interlock_event_kind kind;
  interlock_object_kind object_kind;
  uint32_t flags;
  /// The object, by its address.
  const void *object;
  /// A condition's mutex, a queue's target, an `interlock_application`, …; see
  /// `interlock_event_kind`.
  const void *other;
  /// The block, for `ENQUEUE`, `BEGIN` and `CANCEL`.
  interlock_item *item;
  /// The call site in the user's code, as a return address. For `RELEASE` of a mutex or semaphore
  /// it is the call's own return address, which may lie in a library: see `interlock_events_place`.
  uintptr_t place;
  /// The frame of the call, or a frame nearer to the call site; 0 if it leads to no caller.
  ///
  /// With it, a reader finds the caller of a function such as `withLock`, whose body is compiled
  /// into the user's code.
  uintptr_t frame;
  /// A number; see `interlock_event_kind`.
  int64_t value;
  /// A queue's label, else NULL.
  const char *label;
} interlock_event;

/// Called for an event. Must not wait for the thread that calls it.
typedef void (*interlock_reader)(const interlock_event *event, void *context);

/// Which calls this build interposes.
typedef enum {
  INTERLOCK_EVENTS_ALL = 0,
  /// All but Dispatch's, which is linked statically.
  INTERLOCK_EVENTS_WITHOUT_DISPATCH = 1,
  /// None: ThreadSanitizer is built in.
  INTERLOCK_EVENTS_NONE_SANITIZER = 2,
  /// None: not supported on this system.
  INTERLOCK_EVENTS_NONE_SYSTEM = 3,
  /// None: left out by the package trait `UnseenCalls`.
  INTERLOCK_EVENTS_NONE_TRAIT = 4,
  /// None: a private layout that all calls rely on differs; see `interlock_layouts_lost`.
  INTERLOCK_EVENTS_NONE_LAYOUT = 5,
} interlock_events_availability;

/// Returns which calls are interposed. Callable from any thread, at any time.
interlock_events_availability interlock_events_available(void);

/// Redirects the calls of all libraries past this executable's definitions, or back to them.
///
/// While redirected, the calls reach no reader and cost what they cost without Interlock: for
/// benchmarks. The executable's own calls still go through its definitions; without a reader that
/// costs one more load and branch.
///
/// Returns false if a reader is active, if this system does not support it, or if any call could
/// not be redirected.
bool interlock_events_bypass(bool past);

/// The most readers at a time; the harness uses one.
#define INTERLOCK_READERS 8

/// Calls `reader` for events of these kinds from now on, on every thread.
///
/// Returns false if there are `INTERLOCK_READERS` already, or if no call is interposed. Callable
/// from any thread. The calls that a reader makes are not published.
bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds);

/// A reader that takes events of mutexes and Dispatch semaphores in registers.
///
/// Most events are of these calls, which take a few nanoseconds. The arguments are those of
/// `interlock_event`.
typedef void (*interlock_lock_reader)(interlock_event_kind kind, interlock_object_kind object_kind,
                                      const void *object, uint32_t flags, uintptr_t place,
                                      uintptr_t frame);

/// Returns the arguments of an `interlock_lock_reader` as an event.
static inline interlock_event interlock_lock_event(interlock_event_kind kind,
                                                   interlock_object_kind object_kind,
                                                   const void *object, uint32_t flags,
                                                   uintptr_t place, uintptr_t frame) {
  return (interlock_event){.kind = kind,
                           .object_kind = object_kind,
                           .object = object,
                           .flags = flags,
                           .place = place,
                           .frame = frame};
}

/// Like `interlock_events_add`, at a lower cost per event, for a reader without context that makes
/// no interposed calls.
///
/// If `locks` is not NULL, it is called with the events of locks instead of `reader`. An event
/// costs least if this is the only reader, and it wants every event of a lock.
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds);

/// Replaces a leaf reader by another, so that exactly one of the two reads each event.
///
/// Returns false if `old` is not registered.
bool interlock_events_replace(interlock_reader old, interlock_reader reader,
                              interlock_lock_reader locks, uint32_t kinds);

/// Removes a reader.
///
/// A thread may still be in the reader when this returns: the context must live as long as the
/// process, or the reader must detect that it is gone.
void interlock_events_remove(interlock_reader reader, void *context);

/// Publishes an event that no interposed call shows, of a lock with an inlined fast path.
///
/// The rules for interposed events apply to this event as well.
void interlock_events_publish(const interlock_event *event);

/// Suppresses the calling thread's events until the matching `false`: for the harness's own
/// threads. Nests.
void interlock_events_hide_thread(bool hidden);

/// Returns the descriptor of Dispatch's timers on the monotonic clock, among them the one that lets
/// its pools grow; -1 for none. Callable from any thread.
int interlock_events_pool_timer(void);

/// Returns true if the program has set a handler of a signal, other than those of faults. A signal
/// may arrive at any time, and its handler may wake a thread. Callable from any thread.
bool interlock_events_handles_signals(void);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_events_header(void) { return __FILE__; }

#endif
