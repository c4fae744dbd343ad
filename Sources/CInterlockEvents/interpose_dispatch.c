// Dispatch's queues, groups, semaphores and work items, under their own names. Declared here rather than included:
// what is defined anew must not depend on where the toolchain keeps its headers, and blocks are all that is needed.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <stdlib.h>
#include <time.h>

typedef void (*function_t)(void *);
typedef void (^block_t)(void);
typedef void *queue_t;
typedef void *group_t;
typedef uint64_t moment_t;

static const moment_t forever = ~(moment_t)0;
static const moment_t at_once = 0;

extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));
/// What a work item, and every block with flags of its own, is called through.
extern void (*const _dispatch_block_special_invoke)(void *block) __attribute__((weak));
extern long dispatch_block_testcancel(void *block) __attribute__((weak));

struct block_layout {
  void *isa;
  int flags;
  int reserved;
  function_t invoke;
};

static bool is_work_item(const void *block) {
  return &_dispatch_block_special_invoke &&
         ((const struct block_layout *)block)->invoke == _dispatch_block_special_invoke;
}

/// The flags of an event for a work item. libdispatch keeps its own behind the block's header, after a magic number;
/// where that is not found, it is taken for one without a barrier.
static uint32_t flags_of_work_item(const void *block) {
  enum { header = 32, is_barrier = 1 };
  const uint64_t *kept = (const uint64_t *)((const char *)block + header);
  bool barrier = kept[0] == 0xd159b10c && (kept[1] & is_barrier);
  return INTERLOCK_FLAG_WORK_ITEM | (barrier ? INTERLOCK_FLAG_BARRIER : 0);
}

static void call_block(void *block) { ((struct block_layout *)block)->invoke(block); }

static void call_and_release_block(void *block) {
  call_block(block);
  _Block_release(block);
}

enum {
  sync_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_BEGIN |
               INTERLOCK_EVENT_END,
  item_kinds = INTERLOCK_EVENT_ENQUEUE | INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END,
  wait_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP,
};

static void publish(interlock_event_kind kind, interlock_object_kind object_kind,
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

/// Runs somebody's code inside a published call: what it calls is published again.
static void run_on(queue_t queue, const void *work_item, group_t group, interlock_item *item,
                   uint32_t flags, uintptr_t place, function_t function, void *context) {
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = 0;
  bool wanted = is_wanted(INTERLOCK_EVENT_BEGIN);
  // Whoever lists the block must let it go, even where nothing else is published.
  if (wanted || item) {
    publish(INTERLOCK_EVENT_BEGIN, INTERLOCK_OBJECT_QUEUE, queue, work_item, flags, place, item,
            (int64_t)(uintptr_t)group);
  }
  // Nobody lists it any more.
  free(item);
  function(context);
  if (wanted && is_wanted(INTERLOCK_EVENT_END)) {
    publish(INTERLOCK_EVENT_END, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL, 0);
  }
  interlock_marks.nested = nested;
}

// Blocks that are handed to a queue.

static uint64_t turns;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static interlock_item *make_item(queue_t queue, function_t function, void *context, uint32_t flags,
                                 uintptr_t place) {
  interlock_item *item = malloc(sizeof *item);
  if (!item) return NULL;
  item->function = (void *)function;
  item->context = context;
  item->queue = queue;
  item->next = item->previous = NULL;
  item->origin = ((uint64_t)place & 0xffffffffffff) | (uint64_t)flags << 48;
  // Relaxed: only the order of numbers is asked for.
  uint64_t turn = __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
  item->turn = (uint64_t)(interlock_thread_id() & 0x3fffff) | turn << 22;
  return item;
}

static void publish_enqueue(interlock_item *item) {
  publish(INTERLOCK_EVENT_ENQUEUE, INTERLOCK_OBJECT_QUEUE, item->queue, NULL,
          (uint32_t)(item->origin >> 48), (uintptr_t)(item->origin & 0xffffffffffff), item, 0);
}

static void run_item(void *context) {
  interlock_item *item = context;
  uint32_t flags = (uint32_t)(item->origin >> 48);
  bool has_group = flags & INTERLOCK_FLAG_GROUP;
  run_on(item->queue, NULL, has_group ? item->function : NULL, item, flags,
         (uintptr_t)(item->origin & 0xffffffffffff),
         has_group ? call_and_release_block : (function_t)item->function, item->context);
}

// Work items run through libdispatch's own block, which keeps their flags. Those that are queued are found again by
// that block when it calls ours: in lists by its address.

enum { work_item_lists = 1024 };
static interlock_item *work_items[work_item_lists];
static int work_items_lock;

static interlock_item **list_of(const void *block) {
  return &work_items[((uintptr_t)block >> 4) % work_item_lists];
}

static void lock_work_items(void) {
  // Acquire and release: the lists belong to who has it. Held for a few instructions.
  while (__atomic_exchange_n(&work_items_lock, 1, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock_work_items(void) { __atomic_store_n(&work_items_lock, 0, __ATOMIC_RELEASE); }

/// Takes the first queued one of a block out of its list; NULL for none.
static interlock_item *take_work_item(const void *block) {
  interlock_item *found = NULL;
  lock_work_items();
  for (interlock_item **at = list_of(block); *at; at = (interlock_item **)&(*at)->function) {
    if ((*at)->context != block) continue;
    found = *at;
    *at = found->function;
    break;
  }
  unlock_work_items();
  return found;
}

/// Lets what is queued of a work item go that will never run.
static void drop_work_item(void *block) {
  for (interlock_item *item; (item = take_work_item(block)) != NULL;) {
    publish(INTERLOCK_EVENT_CANCEL, INTERLOCK_OBJECT_QUEUE, item->queue, NULL, 0, 0, item, 0);
    free(item);
  }
}

static void list_work_item(interlock_item *item) {
  if (!item) return;
  // From here on the item may be gone: a cancellation on another thread finds it in the list.
  void *block = item->context;
  publish_enqueue(item);
  lock_work_items();
  interlock_item **end = list_of(block);
  while (*end) end = (interlock_item **)&(*end)->function;
  *end = item;
  unlock_work_items();
  // One that was cancelled before is never called. Asked when it is in the list: a cancellation from now on finds it.
  if (dispatch_block_testcancel && dispatch_block_testcancel(block)) drop_work_item(block);
}

static void enqueue_work_item(queue_t queue, void *block, uint32_t flags, uintptr_t place) {
  list_work_item(make_item(queue, NULL, block, flags | flags_of_work_item(block), place));
}

/// A synchronous call of a work item that this thread is in.
typedef struct sync_call {
  const void *block;
  queue_t queue;
  uintptr_t place;
  uint32_t flags;
  struct sync_call *outer;
} sync_call;
static __thread sync_call *innermost_sync;

static void run_work_item(const void *outer, block_t inner) {
  sync_call *call = innermost_sync;
  if (call && call->block == outer) {
    run_on(call->queue, outer, NULL, NULL, call->flags, call->place, call_block, (void *)inner);
    return;
  }
  interlock_item *item = take_work_item(outer);
  if (!item) {
    inner();
    return;
  }
  run_on(item->queue, outer, NULL, item, (uint32_t)(item->origin >> 48),
         (uintptr_t)(item->origin & 0xffffffffffff), call_block, (void *)inner);
}

typedef void *create_block(unsigned long, block_t);
typedef void *create_block_with_class(unsigned long, unsigned, int, block_t);

INTERPOSED void *dispatch_block_create(unsigned long flags, block_t block) {
  create_block *real = REAL(create_block, dispatch_block_create);
  if (!is_wanted(item_kinds) || !block) return real(flags, block);
  __block const void *outer = NULL;
  void *made = real(flags, ^{
    run_work_item(outer, block);
  });
  outer = made;
  return made;
}

INTERPOSED void *dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos,
                                                      int priority, block_t block) {
  create_block_with_class *real =
      REAL(create_block_with_class, dispatch_block_create_with_qos_class);
  if (!is_wanted(item_kinds) || !block) return real(flags, qos, priority, block);
  __block const void *outer = NULL;
  void *made = real(flags, qos, priority, ^{
    run_work_item(outer, block);
  });
  outer = made;
  return made;
}

INTERPOSED void dispatch_block_cancel(void *block) {
  typedef void cancel(void *);
  REAL(cancel, dispatch_block_cancel)(block);
  if (!interlock_wanted) return;
  drop_work_item(block);
}

INTERPOSED long dispatch_block_wait(void *block, moment_t end) {
  typedef long wait(void *, moment_t);
  wait *real = REAL(wait, dispatch_block_wait);
  if (!is_wanted(wait_kinds)) return real(block, end);
  uintptr_t place = USER_PLACE;
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_WORK_ITEM, block, NULL,
          end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT, place, NULL, 0);
  interlock_marks.nested++;
  long result = real(block, end);
  interlock_marks.nested--;
  publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP,
          INTERLOCK_OBJECT_WORK_ITEM, block, NULL, 0, place, NULL, 0);
  return result;
}

typedef void queue_block_call(queue_t, void *);
typedef void queue_function_call(queue_t, void *, function_t);

/// Hands a block on, with our own around it, or a work item beside a note of it.
static void enqueue_block(queue_t queue, void *block, uint32_t flags, uintptr_t place,
                          queue_block_call *real, queue_function_call *real_function) {
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, flags, place);
    real(queue, block);
    return;
  }
  void *copy = _Block_copy(block);
  interlock_item *item = make_item(queue, call_and_release_block, copy, flags, place);
  if (!item) {
    _Block_release(copy);
    real(queue, block);
    return;
  }
  publish_enqueue(item);
  real_function(queue, item, run_item);
}

static void enqueue_function(queue_t queue, void *context, function_t function, uint32_t flags,
                             uintptr_t place, queue_function_call *real) {
  interlock_item *item = make_item(queue, function, context, flags, place);
  if (!item) {
    real(queue, context, function);
    return;
  }
  publish_enqueue(item);
  real(queue, item, run_item);
}

static uint32_t flags_of_caller(uintptr_t returns_to) {
  if (interlock_is_concurrency(returns_to)) return INTERLOCK_FLAG_JOB;
  return interlock_is_dispatch(returns_to) ? INTERLOCK_FLAG_INTERNAL : 0;
}

INTERPOSED void dispatch_async(queue_t queue, void *block) {
  queue_block_call *real = REAL(queue_block_call, dispatch_async);
  if (!is_wanted(item_kinds)) return real(queue, block);
  enqueue_block(queue, block, flags_of_caller(RETURNS_TO), USER_PLACE, real,
                REAL(queue_function_call, dispatch_async_f));
}

INTERPOSED void dispatch_async_f(queue_t queue, void *context, function_t function) {
  queue_function_call *real = REAL(queue_function_call, dispatch_async_f);
  if (!is_wanted(item_kinds)) return real(queue, context, function);
  uint32_t flags = flags_of_caller(RETURNS_TO);
  if (flags & INTERLOCK_FLAG_JOB) interlock_job_enqueued(context);
  enqueue_function(queue, context, function, flags, USER_PLACE, real);
}

INTERPOSED void dispatch_barrier_async(queue_t queue, void *block) {
  queue_block_call *real = REAL(queue_block_call, dispatch_barrier_async);
  if (!is_wanted(item_kinds)) return real(queue, block);
  enqueue_block(queue, block, INTERLOCK_FLAG_BARRIER | flags_of_caller(RETURNS_TO), USER_PLACE,
                real, REAL(queue_function_call, dispatch_barrier_async_f));
}

INTERPOSED void dispatch_barrier_async_f(queue_t queue, void *context, function_t function) {
  queue_function_call *real = REAL(queue_function_call, dispatch_barrier_async_f);
  if (!is_wanted(item_kinds)) return real(queue, context, function);
  enqueue_function(queue, context, function, INTERLOCK_FLAG_BARRIER | flags_of_caller(RETURNS_TO),
                   USER_PLACE, real);
}

// With a group: it is entered here, and left by libdispatch when the block has ended.

typedef void group_block_call(group_t, queue_t, void *);
typedef void group_function_call(group_t, queue_t, void *, function_t);

INTERPOSED void dispatch_group_async(group_t group, queue_t queue, void *block) {
  group_block_call *real = REAL(group_block_call, dispatch_group_async);
  if (!is_wanted(item_kinds)) return real(group, queue, block);
  uintptr_t place = USER_PLACE;
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, 0, place);
    real(group, queue, block);
    return;
  }
  void *copy = _Block_copy(block);
  // What a block is called by is always the same, so the group has its room.
  interlock_item *item =
      make_item(queue, (function_t)group, copy, INTERLOCK_FLAG_GROUP, place);
  if (!item) {
    _Block_release(copy);
    real(group, queue, block);
    return;
  }
  publish_enqueue(item);
  REAL(group_function_call, dispatch_group_async_f)(group, queue, item, run_item);
}

INTERPOSED void dispatch_group_async_f(group_t group, queue_t queue, void *context,
                                       function_t function) {
  group_function_call *real = REAL(group_function_call, dispatch_group_async_f);
  interlock_item *item = NULL;
  if (is_wanted(item_kinds)) item = make_item(queue, function, context, 0, USER_PLACE);
  if (!item) return real(group, queue, context, function);
  publish_enqueue(item);
  real(group, queue, item, run_item);
}

INTERPOSED void dispatch_group_notify(group_t group, queue_t queue, void *block) {
  group_block_call *real = REAL(group_block_call, dispatch_group_notify);
  if (!is_wanted(item_kinds)) return real(group, queue, block);
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, INTERLOCK_FLAG_ON_GROUP, USER_PLACE);
    return real(group, queue, block);
  }
  void *copy = _Block_copy(block);
  interlock_item *item =
      make_item(queue, call_and_release_block, copy, INTERLOCK_FLAG_ON_GROUP, USER_PLACE);
  if (!item) {
    _Block_release(copy);
    return real(group, queue, block);
  }
  publish_enqueue(item);
  REAL(group_function_call, dispatch_group_notify_f)(group, queue, item, run_item);
}

INTERPOSED void dispatch_block_notify(void *block, queue_t queue, void *then) {
  typedef void notify(void *, queue_t, void *);
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_WORK_ITEM, block, NULL, 0, USER_PLACE,
            NULL, 0);
  }
  REAL(notify, dispatch_block_notify)(block, queue, then);
}

typedef void object_call(void *);

INTERPOSED void dispatch_group_enter(group_t group) {
  if (is_wanted(INTERLOCK_EVENT_ENTER)) {
    publish(INTERLOCK_EVENT_ENTER, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_enter)(group);
}

INTERPOSED void dispatch_group_leave(group_t group) {
  // Not those of libdispatch itself, for blocks that it entered the group for.
  if (is_wanted(INTERLOCK_EVENT_RELEASE) && !interlock_is_dispatch(RETURNS_TO)) {
    publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_leave)(group);
}

INTERPOSED long dispatch_group_wait(group_t group, moment_t end) {
  typedef long wait(group_t, moment_t);
  wait *real = REAL(wait, dispatch_group_wait);
  if (end == at_once || interlock_marks.nested || !is_wanted(wait_kinds)) return real(group, end);
  uintptr_t place = USER_PLACE;
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_GROUP, group, NULL,
          end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT, place, NULL, 0);
  interlock_marks.nested++;
  long result = real(group, end);
  interlock_marks.nested--;
  publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, INTERLOCK_OBJECT_GROUP,
          group, NULL, 0, place, NULL, 0);
  return result;
}

typedef void *create_object(void);

INTERPOSED group_t dispatch_group_create(void) {
  group_t made = REAL(create_object, dispatch_group_create)();
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish(INTERLOCK_EVENT_CREATE, INTERLOCK_OBJECT_GROUP, made, NULL, 0, USER_PLACE, NULL, 0);
  }
  return made;
}

// After a time.

/// The monotonic moment, in nanoseconds, that a `dispatch_time_t` stands for; 0 for now.
static uint64_t monotonic(moment_t when) {
  if (when == at_once) return now();
  if (when == forever) return forever;
  if (when >> 63) {
    // A time of the day: all ones less than its nanoseconds.
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    uint64_t day = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    // The top two bits say the clock: both for the time of the day, one for the monotonic one.
    uint64_t asked = (when >> 62) == 3 ? (uint64_t)-(int64_t)when : when & 0x3fffffffffffffff;
    uint64_t base = (when >> 62) == 3 ? day : now();
    return now() + (asked > base ? asked - base : 0);
  }
  return when;
}

typedef void after_block_call(moment_t, queue_t, void *);
typedef void after_function_call(moment_t, queue_t, void *, function_t);

static interlock_item *make_delayed(moment_t when, queue_t queue, function_t function,
                                    void *context, uint32_t flags, uintptr_t place) {
  interlock_item *item =
      make_item(queue, function, context, flags | INTERLOCK_FLAG_DELAYED, place);
  if (item) item->turn = monotonic(when);
  return item;
}

INTERPOSED void dispatch_after(moment_t when, queue_t queue, void *block) {
  after_block_call *real = REAL(after_block_call, dispatch_after);
  if (interlock_marks.nested || !is_wanted(item_kinds)) return real(when, queue, block);
  if (is_work_item(block)) {
    list_work_item(make_delayed(when, queue, NULL, block, flags_of_work_item(block), USER_PLACE));
    interlock_marks.nested++;
    real(when, queue, block);
    interlock_marks.nested--;
    return;
  }
  void *copy = _Block_copy(block);
  interlock_item *item =
      make_delayed(when, queue, call_and_release_block, copy, 0, USER_PLACE);
  if (!item) {
    _Block_release(copy);
    return real(when, queue, block);
  }
  publish_enqueue(item);
  interlock_marks.nested++;
  REAL(after_function_call, dispatch_after_f)(when, queue, item, run_item);
  interlock_marks.nested--;
}

INTERPOSED void dispatch_after_f(moment_t when, queue_t queue, void *context,
                                 function_t function) {
  after_function_call *real = REAL(after_function_call, dispatch_after_f);
  interlock_item *item = NULL;
  if (!interlock_marks.nested && is_wanted(item_kinds)) {
    item = make_delayed(when, queue, function, context, flags_of_caller(RETURNS_TO), USER_PLACE);
  }
  if (!item) return real(when, queue, context, function);
  publish_enqueue(item);
  interlock_marks.nested++;
  real(when, queue, item, run_item);
  interlock_marks.nested--;
}

// Synchronous calls.

typedef struct {
  function_t function;
  void *context;
  queue_t queue;
  uintptr_t place;
  uint32_t flags;
} synchronous;

static void run_synchronous(void *context) {
  synchronous *call = context;
  run_on(call->queue, NULL, NULL, NULL, call->flags, call->place, call->function, call->context);
}

static void call_synchronously(queue_t queue, void *block, void *context, function_t function,
                               uint32_t flags, uintptr_t place, queue_block_call *real,
                               queue_function_call *real_function) {
  bool has_work_item = block && is_work_item(block);
  if (has_work_item) flags |= flags_of_work_item(block);
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL, 0);
  interlock_marks.nested++;
  if (has_work_item) {
    sync_call call = {block, queue, place, flags, innermost_sync};
    innermost_sync = &call;
    real(queue, block);
    innermost_sync = call.outer;
  } else {
    synchronous call = {block ? call_block : function, block ? block : context, queue, place, flags};
    real_function(queue, &call, run_synchronous);
  }
  interlock_marks.nested--;
  if (is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL, 0);
  }
}

#define SYNCHRONOUS(name, flags)                                                              \
  INTERPOSED void name(queue_t queue, void *block) {                                          \
    queue_block_call *real = REAL(queue_block_call, name);                                    \
    if (interlock_marks.nested || !is_wanted(sync_kinds)) return real(queue, block);          \
    call_synchronously(queue, block, NULL, NULL, flags, USER_PLACE, real,                     \
                       REAL(queue_function_call, name##_f));                                  \
  }                                                                                           \
  INTERPOSED void name##_f(queue_t queue, void *context, function_t function) {               \
    queue_function_call *real = REAL(queue_function_call, name##_f);                          \
    if (interlock_marks.nested || !is_wanted(sync_kinds)) return real(queue, context, function); \
    call_synchronously(queue, NULL, context, function, flags, USER_PLACE, NULL, real);        \
  }

SYNCHRONOUS(dispatch_sync, 0)
SYNCHRONOUS(dispatch_barrier_sync, INTERLOCK_FLAG_BARRIER)
SYNCHRONOUS(dispatch_async_and_wait, 0)
SYNCHRONOUS(dispatch_barrier_async_and_wait, INTERLOCK_FLAG_BARRIER)

typedef struct {
  void (*function)(void *, size_t);
  void *context;
  queue_t queue;
  uintptr_t place;
} application;

static void run_application(void *context, size_t index) {
  application *call = context;
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = 0;
  bool wanted = is_wanted(INTERLOCK_EVENT_BEGIN);
  if (wanted) {
    publish(INTERLOCK_EVENT_BEGIN, INTERLOCK_OBJECT_QUEUE, call->queue, NULL,
            INTERLOCK_FLAG_APPLY, call->place, NULL, 0);
  }
  call->function(call->context, index);
  if (wanted && is_wanted(INTERLOCK_EVENT_END)) {
    publish(INTERLOCK_EVENT_END, INTERLOCK_OBJECT_QUEUE, call->queue, NULL, INTERLOCK_FLAG_APPLY,
            call->place, NULL, 0);
  }
  interlock_marks.nested = nested;
}

static void call_block_with_index(void *block, size_t index) {
  ((void (^)(size_t))block)(index);
}

typedef void apply_call(size_t, queue_t, void *, void (*)(void *, size_t));

static void apply(size_t count, queue_t queue, void *context, void (*function)(void *, size_t),
                  uintptr_t place, apply_call *real) {
  application call = {function, context, queue, place};
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, NULL, INTERLOCK_FLAG_APPLY, place,
          NULL, 0);
  interlock_marks.nested++;
  real(count, queue, &call, run_application);
  interlock_marks.nested--;
  if (is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, NULL, INTERLOCK_FLAG_APPLY,
            place, NULL, 0);
  }
}

INTERPOSED void dispatch_apply(size_t count, queue_t queue, void *block) {
  typedef void apply_block_call(size_t, queue_t, void *);
  if (interlock_marks.nested || !is_wanted(sync_kinds)) {
    REAL(apply_block_call, dispatch_apply)(count, queue, block);
    return;
  }
  apply(count, queue, block, call_block_with_index, USER_PLACE, REAL(apply_call, dispatch_apply_f));
}

INTERPOSED void dispatch_apply_f(size_t count, queue_t queue, void *context,
                                 void (*function)(void *, size_t)) {
  apply_call *real = REAL(apply_call, dispatch_apply_f);
  if (interlock_marks.nested || !is_wanted(sync_kinds)) {
    real(count, queue, context, function);
    return;
  }
  apply(count, queue, context, function, USER_PLACE, real);
}

// Semaphores.

INTERPOSED void *dispatch_semaphore_create(intptr_t value) {
  typedef void *create(intptr_t);
  void *made = REAL(create, dispatch_semaphore_create)(value);
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish(INTERLOCK_EVENT_CREATE, INTERLOCK_OBJECT_SEMAPHORE, made, NULL, 0, USER_PLACE, NULL,
            value);
  }
  return made;
}

INTERPOSED intptr_t dispatch_semaphore_wait(void *semaphore, moment_t end) {
  typedef intptr_t wait(void *, moment_t);
  wait *real = REAL(wait, dispatch_semaphore_wait);
  // libdispatch's idle workers wait at one too.
  uintptr_t returns_to = RETURNS_TO;
  if (interlock_marks.nested || !is_wanted(wait_kinds)) return real(semaphore, end);
  interlock_object_kind kind = interlock_is_dispatch(returns_to) ? INTERLOCK_OBJECT_IDLE
                                                                 : INTERLOCK_OBJECT_SEMAPHORE;
  uintptr_t place = USER_PLACE;
  // Most are used as locks, and most locks are free: what can be had at once is no wait.
  interlock_marks.nested++;
  intptr_t result = real(semaphore, at_once);
  if (result != 0 && end != at_once) {
    publish(INTERLOCK_EVENT_WAIT, kind, semaphore, NULL,
            end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT, place, NULL, 0);
    result = real(semaphore, end);
  }
  interlock_marks.nested--;
  if (result == 0 || end != at_once) {
    publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, kind, semaphore, NULL,
            0, place, NULL, 0);
  }
  return result;
}

INTERPOSED intptr_t dispatch_semaphore_signal(void *semaphore) {
  typedef intptr_t signal(void *);
  signal *real = REAL(signal, dispatch_semaphore_signal);
  if (interlock_marks.nested || !is_wanted(INTERLOCK_EVENT_RELEASE) ||
      interlock_is_dispatch(RETURNS_TO)) {
    return real(semaphore);
  }
  interlock_event event = {.kind = INTERLOCK_EVENT_RELEASE,
                           .object_kind = INTERLOCK_OBJECT_SEMAPHORE,
                           .object = semaphore,
                           .place = RETURNS_TO,
                           .frame = THIS_FRAME};
  interlock_publish_fast(&event);
  return real(semaphore);
}

// Queues.

static void publish_queue(queue_t queue, const void *attribute, const char *label,
                          uintptr_t place) {
  interlock_event event = {.kind = INTERLOCK_EVENT_CREATE,
                           .object_kind = INTERLOCK_OBJECT_QUEUE,
                           .object = queue,
                           .other = attribute,
                           .place = place,
                           .label = label};
  interlock_publish(&event);
}

INTERPOSED queue_t dispatch_queue_create(const char *label, void *attribute) {
  typedef queue_t create(const char *, void *);
  interlock_marks.nested++;
  queue_t made = REAL(create, dispatch_queue_create)(label, attribute);
  interlock_marks.nested--;
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  return made;
}

// On Linux the symbol has no version in its name.
INTERPOSED queue_t dispatch_queue_create_with_target(const char *label, void *attribute,
                                                     queue_t target) {
  typedef queue_t create(const char *, void *, queue_t);
  interlock_marks.nested++;
  queue_t made = REAL(create, dispatch_queue_create_with_target)(label, attribute, target);
  interlock_marks.nested--;
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  return made;
}

static void configure(void *object, int64_t change, const void *other, uintptr_t returns_to) {
  // What libdispatch does to its own is not a user's doing.
  if (!interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CONFIGURE) &&
      !interlock_is_dispatch(returns_to)) {
    publish(INTERLOCK_EVENT_CONFIGURE, INTERLOCK_OBJECT_QUEUE, object, other, 0, returns_to, NULL,
            change);
  }
}

INTERPOSED void dispatch_suspend(void *object) {
  configure(object, 1, NULL, RETURNS_TO);
  REAL(object_call, dispatch_suspend)(object);
}

INTERPOSED void dispatch_resume(void *object) {
  configure(object, -1, NULL, RETURNS_TO);
  REAL(object_call, dispatch_resume)(object);
}

INTERPOSED void dispatch_activate(void *object) {
  configure(object, 0, NULL, RETURNS_TO);
  REAL(object_call, dispatch_activate)(object);
}

INTERPOSED void dispatch_set_target_queue(void *object, queue_t target) {
  typedef void set(void *, queue_t);
  configure(object, 2, target, RETURNS_TO);
  REAL(set, dispatch_set_target_queue)(object, target);
}

// What may run code on queues without a call that is seen.

static void unfollowed(const void *object, uintptr_t returns_to) {
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED) && !interlock_is_dispatch(returns_to)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_QUEUE, object, NULL, 0, returns_to, NULL,
            0);
  }
}

INTERPOSED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask,
                                        queue_t queue) {
  typedef void *create(const void *, uintptr_t, uintptr_t, queue_t);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_source_create)(type, handle, mask, queue);
}

INTERPOSED void *dispatch_io_create(unsigned long type, int descriptor, queue_t queue,
                                    void *handler) {
  typedef void *create(unsigned long, int, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_io_create)(type, descriptor, queue, handler);
}

INTERPOSED void *dispatch_io_create_with_path(unsigned long type, const char *path, int flags,
                                              unsigned mode, queue_t queue, void *handler) {
  typedef void *create(unsigned long, const char *, int, unsigned, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_io_create_with_path)(type, path, flags, mode, queue, handler);
}

INTERPOSED void dispatch_read(int descriptor, size_t length, queue_t queue, void *handler) {
  typedef void call(int, size_t, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  REAL(call, dispatch_read)(descriptor, length, queue, handler);
}

INTERPOSED void dispatch_write(int descriptor, void *data, queue_t queue, void *handler) {
  typedef void call(int, void *, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  REAL(call, dispatch_write)(descriptor, data, queue, handler);
}

#endif
