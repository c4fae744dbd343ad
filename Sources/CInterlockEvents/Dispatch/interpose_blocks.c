// Blocks that queues run, and work items.
#include "controlled_dispatch.h"
#include "../Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

__thread uint32_t interlock_blocks_begun;
const interlock_dispatch_performer *interlock_dispatch;

/// Runs the user's code inside a published call; the calls it makes are published again.
BETWEEN void interlock_run_on(queue_t queue, const void *work_item, group_t group,
                              interlock_item *item, uint32_t flags, uintptr_t place,
                              function_t function, void *context) {
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = 0;
  interlock_blocks_begun++;
  bool wanted = is_wanted(INTERLOCK_EVENT_BEGIN);
  // The reader that lists the block must remove it, even if nothing else is published.
  bool is_published = wanted || item;
  if (is_published) {
    publish(INTERLOCK_EVENT_BEGIN, INTERLOCK_OBJECT_QUEUE, queue, work_item, flags, place, item,
            (int64_t)(uintptr_t)group);
  }
  bool was_queued = item != NULL;
  // After `BEGIN`, no reader lists the item.
  if (item) interlock_free_item(item);
  function(context);
  if (is_published) {
    publish(INTERLOCK_EVENT_END, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL,
            was_queued);
  }
  interlock_marks.nested = nested;
}

// Enqueued blocks.

static uint64_t turns;

typedef void *malloc_call(size_t);
typedef void free_call(void *);

/// Returns the C library's own `free`, if `malloc` is the C library's. An interposed `free` looks
/// for the accesses of the freed memory, but no code whose accesses are checked uses an item.
static free_call *find_free(void) {
  return REAL(malloc_call, malloc) == malloc ? REAL(free_call, free) : free;
}

void interlock_free_item(interlock_item *item) {
  if (interlock_follows_lives && (interlock_item_flags(item) & INTERLOCK_FLAG_DELAYED)) {
    interlock_life_block_begins(item);
  }
  static free_call *known;
  // Relaxed: threads that look it up at the same time find the same address.
  free_call *call = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (__builtin_expect(!call, 0)) {
    call = find_free();
    __atomic_store_n(&known, call, __ATOMIC_RELAXED);
  }
  call(item);
}

interlock_item *interlock_make_item(queue_t queue, function_t function, void *context,
                                    uint32_t flags, uintptr_t place) {
  // Relaxed: a reader that begins meanwhile orders a block without a clock after everything.
  bool has_clock = __atomic_load_n(&interlock_items_have_clocks, __ATOMIC_RELAXED);
  interlock_item *item = malloc(has_clock ? sizeof *item : offsetof(interlock_item, clock));
  if (!item) return NULL;
  item->function = (void *)function;
  item->context = context;
  item->queue = queue;
  item->next = item->previous = NULL;
  item->origin = ((uint64_t)place & 0xffffffffffff) | (uint64_t)(flags & 0x7fff) << 48 |
                 (uint64_t)has_clock << 63;
  if (has_clock) item->clock = 0;
  // Relaxed: only the order of the numbers matters.
  uint64_t turn = __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
  item->turn = (uint64_t)(interlock_thread_id() & 0x3fffff) | turn << 22;
  return item;
}

void interlock_publish_enqueue(interlock_item *item) {
  publish(INTERLOCK_EVENT_ENQUEUE, INTERLOCK_OBJECT_QUEUE, item->queue, NULL,
          interlock_item_flags(item), (uintptr_t)(item->origin & 0xffffffffffff), item, 0);
}

BETWEEN void interlock_run_item(void *context) {
  interlock_item *item = context;
  uint32_t flags = interlock_item_flags(item);
  bool has_group = flags & INTERLOCK_FLAG_GROUP;
  interlock_run_on(item->queue, NULL, has_group ? item->function : NULL, item, flags,
         (uintptr_t)(item->origin & 0xffffffffffff),
         has_group ? call_and_release_block : (function_t)item->function, item->context);
}

// Work items run through libdispatch's own block, which keeps their flags. When that block calls
// Interlock's block, the queued item is found by the block's address.

enum { work_item_lists = 1024 };
static interlock_item *work_items[work_item_lists];
static int work_items_lock;

static interlock_item **list_of(const void *block) {
  return &work_items[((uintptr_t)block >> 4) % work_item_lists];
}

/// The thread that held the lock is not in the child. A list is always consistent, because one
/// store changes it.
void interlock_work_items_forked(void) { work_items_lock = 0; }

/// Removes the first queued item of a block from its list; NULL if there is none.
static interlock_item *take_work_item(const void *block) {
  interlock_item *found = NULL;
  take(&work_items_lock);
  for (interlock_item **at = list_of(block); *at; at = (interlock_item **)&(*at)->function) {
    if ((*at)->context != block) continue;
    found = *at;
    *at = found->function;
    break;
  }
  give(&work_items_lock);
  return found;
}

/// Drops the queued items of a work item that will never run.
static void drop_work_item(void *block) {
  for (interlock_item *item; (item = take_work_item(block)) != NULL;) {
    publish(INTERLOCK_EVENT_CANCEL, INTERLOCK_OBJECT_QUEUE, item->queue, NULL, 0, 0, item, 0);
    interlock_free_item(item);
  }
}

void interlock_list_work_item(interlock_item *item) {
  if (!item) return;
  // Once the item is published and listed, a cancellation on another thread may free it.
  void *block = item->context;
  interlock_publish_enqueue(item);
  take(&work_items_lock);
  interlock_item **end = list_of(block);
  for (; *end; end = (interlock_item **)&(*end)->function) {
    if ((*end)->context != block) continue;
    (*end)->origin |= (uint64_t)INTERLOCK_FLAG_QUEUED_TWICE << 48;
    item->origin |= (uint64_t)INTERLOCK_FLAG_QUEUED_TWICE << 48;
  }
  *end = item;
  give(&work_items_lock);
  // A work item that was cancelled before is never called. Check that after listing: a later
  // cancellation finds the item in the list.
  if (dispatch_block_testcancel && dispatch_block_testcancel(block)) drop_work_item(block);
}

__thread interlock_sync_call *interlock_innermost_sync;

BETWEEN static void run_work_item(const void *outer, block_t inner) {
  interlock_sync_call *call = interlock_innermost_sync;
  if (call && call->block == outer) {
    interlock_run_on(call->queue, outer, NULL, NULL, call->flags, call->place, call_block,
                     (void *)inner);
    return;
  }
  interlock_item *item = take_work_item(outer);
  if (!item) {
    // Called by `perform`: the item is on no queue, but a thread may wait for it.
    inner();
    if (is_wanted(INTERLOCK_EVENT_ORDER)) {
      publish(INTERLOCK_EVENT_ORDER, INTERLOCK_OBJECT_WORK_ITEM, outer, NULL, 0, 0, NULL,
              INTERLOCK_ORDER_RELEASE);
    }
    return;
  }
  interlock_run_on(item->queue, outer, NULL, item, interlock_item_flags(item),
         (uintptr_t)(item->origin & 0xffffffffffff), call_block, (void *)inner);
}

typedef void *create_block(unsigned long, block_t);
typedef void *create_block_with_class(unsigned long, unsigned, int, block_t);

/// Called for a new block, at an address that another block may have had.
static void *note_made(void *block, uintptr_t returns_to) {
  if (block && is_explored_call(returns_to)) interlock_dispatch->item_made(block);
  if (block && is_wanted(INTERLOCK_EVENT_DESTROY)) {
    publish(INTERLOCK_EVENT_DESTROY, INTERLOCK_OBJECT_WORK_ITEM, block, NULL, 0, 0, NULL, 0);
  }
  return block;
}

INTERPOSED void *dispatch_block_create(unsigned long flags, block_t block) {
  create_block *real = REAL(create_block, dispatch_block_create);
  if (!is_wanted(item_kinds) || !block) return note_made(real(flags, block), RETURNS_TO);
  __block const void *outer = NULL;
  void *made = real(flags, ^{
    run_work_item(outer, block);
  });
  outer = made;
  return note_made(made, RETURNS_TO);
}

INTERPOSED void *dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos,
                                                      int priority, block_t block) {
  create_block_with_class *real =
      REAL(create_block_with_class, dispatch_block_create_with_qos_class);
  if (!is_wanted(item_kinds) || !block)
    return note_made(real(flags, qos, priority, block), RETURNS_TO);
  __block const void *outer = NULL;
  void *made = real(flags, qos, priority, ^{
    run_work_item(outer, block);
  });
  outer = made;
  return note_made(made, RETURNS_TO);
}

INTERPOSED void dispatch_block_cancel(void *block) {
  typedef void cancel(void *);
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->ask_item(block, true, SITE);
  REAL(cancel, dispatch_block_cancel)(block);
  if (!interlock_wanted) return;
  drop_work_item(block);
}

INTERPOSED long dispatch_block_testcancel(void *block) {
  typedef long test(void *);
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->ask_item(block, false, SITE);
  return REAL(test, dispatch_block_testcancel)(block);
}

#endif
