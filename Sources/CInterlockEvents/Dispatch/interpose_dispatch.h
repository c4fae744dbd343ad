// Declarations shared by the files of Dispatch's calls. Declares the needed part of Dispatch's
// headers instead of including them: the definitions must not depend on where a toolchain keeps
// these, and need no more than blocks. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_INTERPOSE_DISPATCH_H
#define INTERLOCK_INTERPOSE_DISPATCH_H

#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>

typedef void (*function_t)(void *);
typedef void (^block_t)(void);
typedef void *queue_t;
typedef void *group_t;
typedef uint64_t moment_t;

static const moment_t forever = ~(moment_t)0;
static const moment_t at_once = 0;

extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));
/// libdispatch's function that calls a work item, and every block with flags of its own.
extern void (*const _dispatch_block_special_invoke)(void *block) __attribute__((weak));
extern long dispatch_block_testcancel(void *block) __attribute__((weak));

struct block_layout {
  void *isa;
  int flags;
  int reserved;
  function_t invoke;
};

static inline bool is_work_item(const void *block) {
  return &_dispatch_block_special_invoke &&
         ((const struct block_layout *)block)->invoke == _dispatch_block_special_invoke;
}

/// libdispatch's data of a work item, behind the block's header: a magic number, and the flags.
/// Checked at the start (layouts.c).
static inline const uint64_t *kept_of_work_item(const void *block) {
  enum { header = 32 };
  return (const uint64_t *)((const char *)block + header);
}
static inline bool has_work_item_magic(const void *block) {
  return kept_of_work_item(block)[0] == 0xd159b10c;
}
static inline bool is_barrier_item(const void *block) { return kept_of_work_item(block)[1] & 1; }
/// The number of times that the item has run.
static inline uint32_t runs_of_work_item(const void *block) {
  return (uint32_t)(kept_of_work_item(block)[2] >> 32);
}
/// The item's private group, which the item leaves when it has run for the first time.
static inline void *group_of_work_item(const void *block) {
  return (void *)(uintptr_t)kept_of_work_item(block)[6];
}

/// The flags of an event of a work item.
static inline uint32_t flags_of_work_item(const void *block) {
  return INTERLOCK_FLAG_WORK_ITEM | (is_barrier_item(block) ? INTERLOCK_FLAG_BARRIER : 0);
}

BETWEEN static inline void call_block(void *block) {
  ((struct block_layout *)block)->invoke(block);
}

BETWEEN static inline void call_and_release_block(void *block) {
  call_block(block);
  _Block_release(block);
}

enum {
  sync_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_BEGIN |
               INTERLOCK_EVENT_END,
  item_kinds = INTERLOCK_EVENT_ENQUEUE | INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END,
  wait_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP,
};

static inline void publish(interlock_event_kind kind, interlock_object_kind object_kind,
                           const void *object, const void *other, uint32_t flags, uintptr_t place,
                           interlock_item *item, int64_t value) {
  interlock_event event = {.kind = kind,
                           .object_kind = object_kind,
                           .object = object,
                           .other = other,
                           .flags = flags,
                           .place = place,
                           .item = item,
                           .value = value};
  interlock_publish_fast(&event);
}

static inline uint32_t flags_of_caller(uintptr_t returns_to) {
  return interlock_is_dispatch(returns_to) ? INTERLOCK_FLAG_INTERNAL : 0;
}

/// Like `flags_of_caller`, for a function that is enqueued. A job of Swift Concurrency is
/// recognised by its function, which is the runtime's. Its caller may be a user's executor that
/// forwards jobs, because the runtime jumps to the call.
static inline uint32_t flags_of_function(function_t function, uintptr_t returns_to) {
  if (interlock_is_concurrency((uintptr_t)function)) return INTERLOCK_FLAG_JOB;
  return flags_of_caller(returns_to);
}

typedef void queue_block_call(queue_t, void *);
typedef void queue_function_call(queue_t, void *, function_t);
typedef void object_call(void *);

// Blocks (interpose_blocks.c).

/// Runs the user's code inside a published call; the calls it makes are published again. Frees
/// `item`, if there is one.
void interlock_run_on(queue_t queue, const void *work_item, group_t group, interlock_item *item,
                      uint32_t flags, uintptr_t place, function_t function, void *context) HIDDEN;
/// The monotonic clock, in nanoseconds.
uint64_t interlock_now(void) HIDDEN;
/// Reads a clock, the virtual one on an explored thread, on behalf of Interlock and not of the
/// user's code.
void interlock_read_clock(clockid_t clock, struct timespec *time) HIDDEN;
/// Makes the item of a block that is about to be queued; NULL without memory.
interlock_item *interlock_make_item(queue_t queue, function_t function, void *context,
                                    uint32_t flags, uintptr_t place) HIDDEN;
/// Frees an item that no reader lists.
void interlock_free_item(interlock_item *item) HIDDEN;
void interlock_publish_enqueue(interlock_item *item) HIDDEN;
/// The function by which a queue runs an item.
void interlock_run_item(void *item) HIDDEN;
/// Publishes and lists a work item that libdispatch itself is about to queue; does nothing for
/// NULL.
void interlock_list_work_item(interlock_item *item) HIDDEN;

/// A synchronous call of a work item that is in progress on this thread.
typedef struct interlock_sync_call {
  const void *block;
  queue_t queue;
  uintptr_t place;
  uint32_t flags;
  struct interlock_sync_call *outer;
} interlock_sync_call;
extern __thread interlock_sync_call *interlock_innermost_sync
    __attribute__((tls_model("initial-exec"))) HIDDEN;

#endif
#endif
