// Dispatch's calls of explored threads: they publish the same events as other threads' calls, and
// the model performs them. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_CONTROLLED_DISPATCH_H
#define INTERLOCK_CONTROLLED_DISPATCH_H

#include "interlock_dispatch_performer.h"
#include "interpose_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

/// True if a call only passes through to the real function. One load, also for an explored thread.
/// Relaxed: see `is_wanted`.
#define PASSES_THROUGH(kinds)                                            \
  __builtin_expect(!(__atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED) & \
                     ((kinds) | INTERLOCK_WANTED_CONTROL)), 1)

/// True if the model performs the call. It performs no call that libdispatch itself makes.
static inline bool is_controlled_call(uintptr_t returns_to) {
  return interlock_is_controlled() && interlock_dispatch && !interlock_is_dispatch(returns_to);
}
/// True if the model performs the call. For calls that publish no events: tests `interlock_wanted`
/// first.
static inline bool is_explored_call(uintptr_t returns_to) {
  return !PASSES_THROUGH(0) && is_controlled_call(returns_to);
}

/// The call site. Only valid in the interposed function itself.
#define SITE ((interlock_site){RETURNS_TO, USER_PLACE})

/// Enqueues a block or, if `block` is NULL, the function of the request.
void interlock_controlled_enqueue(interlock_dispatch_request request, void *block,
                                  interlock_site site) HIDDEN;
void interlock_controlled_sync(queue_t queue, void *block, function_t function, void *context,
                               uint32_t flags, interlock_site site) HIDDEN;
void interlock_controlled_apply(size_t count, queue_t queue, void *context,
                                void (*function)(void *, size_t), interlock_site site) HIDDEN;
long interlock_controlled_group_wait(group_t group, moment_t end, interlock_site site) HIDDEN;
intptr_t interlock_controlled_semaphore_wait(void *semaphore, moment_t end,
                                             interlock_site site) HIDDEN;
intptr_t interlock_controlled_semaphore_signal(void *semaphore, interlock_site site,
                                               uintptr_t frame) HIDDEN;
void interlock_controlled_item_notify(void *block, queue_t queue, void *then,
                                      interlock_site site) HIDDEN;
long interlock_controlled_item_wait(void *block, moment_t end, interlock_site site) HIDDEN;

/// Sets a handler of a source by the libdispatch function `set`; the orders that the handler makes
/// are published.
typedef void interlock_set_handler_call(void *source, block_t handler);
void interlock_set_handler(interlock_set_handler_call *set, void *source, block_t handler,
                           uintptr_t returns_to) HIDDEN;

/// Makes the real call on an object that the model leaves to libdispatch. Hidden: the calls that
/// libdispatch makes for it, for example to make a worker, are not explored.
void interlock_call_outside(void (*real)(void *), void *object) HIDDEN;

/// Performs the calls that were deferred while threads were explored.
void interlock_controlled_dispatch_ends(void) HIDDEN;

/// Converts a `dispatch_time_t` to nanoseconds of the monotonic clock; all ones for never.
uint64_t interlock_moment(moment_t when) HIDDEN;

#endif
#endif
