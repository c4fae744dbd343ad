// The wait table's data about queues: their properties and their queued blocks.
#include "../hash_table.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

// Queues.

typedef struct {
  /// The key is the queue's address.
  table_entry entry;
  int lock;
  int32_t suspended;
  /// True if the queue's creation was seen, and nothing since has delayed its blocks.
  bool keeps_order;
  uint64_t queued, delayed, on_group;
  interlock_item *first, *last;
  /// The blocks that wait for a time or a group.
  interlock_item *later;
  char label[INTERLOCK_LABEL_BYTES];
} queue_record;

enum { queue_capacity = 1 << 14, queue_buckets = 1 << 13 };
static queue_record records[queue_capacity];
static uintptr_t lists[queue_buckets];
static hash_table queues = {.lists = lists,
                     .list_count = queue_buckets,
                     .entries = (char *)records,
                     .size = sizeof *records,
                     .most = queue_capacity};

extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));

static void copy_label(queue_record *record, const char *label) {
  if (!label) label = "";
  size_t length = strnlen(label, INTERLOCK_LABEL_BYTES - 1);
  memcpy(record->label, label, length);
  record->label[length] = 0;
}

/// Not inlined: called once for each queue.
__attribute__((noinline)) static queue_record *make_queue(uintptr_t queue) {
  take(&queues.lock);
  queue_record *record = (queue_record *)table_find(&queues, queue);
  if (!record) {
    record = (queue_record *)table_take(&queues);
    if (record) {
      // The caller is in a call on the queue, so the queue has not been freed.
      copy_label(record, dispatch_queue_get_label((void *)queue));
      table_add(&queues, &record->entry, queue);
    }
  }
  give(&queues.lock);
  if (!record) interlock_note_partial();
  return record;
}

static inline queue_record *find_queue(uintptr_t queue, bool make) {
  queue_record *found = (queue_record *)table_find(&queues, queue);
  return found || !make ? found : make_queue(queue);
}

void interlock_queue_made(const interlock_event *event) {
  queue_record *record = find_queue((uintptr_t)event->object, true);
  if (!record) return;
  take(&record->lock);
  // An earlier queue at this address is gone, and all of its blocks have run.
  record->suspended = 0;
  record->keeps_order = true;
  copy_label(record, event->label);
  give(&record->lock);
}

static bool waits_first(const interlock_item *item) {
  return interlock_item_flags(item) & (INTERLOCK_FLAG_DELAYED | INTERLOCK_FLAG_ON_GROUP);
}

void interlock_item_listed(interlock_item *item) {
  queue_record *record = find_queue((uintptr_t)item->queue, true);
  if (!record) return;
  take(&record->lock);
  if (waits_first(item)) {
    item->previous = NULL;
    item->next = record->later;
    if (record->later) record->later->previous = item;
    record->later = item;
    if (interlock_item_flags(item) & INTERLOCK_FLAG_DELAYED) {
      record->delayed++;
    } else {
      record->on_group++;
    }
  } else {
    item->next = NULL;
    item->previous = record->last;
    if (record->last) {
      record->last->next = item;
    } else {
      record->first = item;
    }
    record->last = item;
    record->queued++;
    if (interlock_item_flags(item) & INTERLOCK_FLAG_BARRIER) record->keeps_order = false;
  }
  give(&record->lock);
}

void interlock_item_unlisted(interlock_item *item) {
  queue_record *record = find_queue((uintptr_t)item->queue, false);
  if (!record) return;
  take(&record->lock);
  bool later = waits_first(item);
  bool listed = item->previous || item->next || record->first == item || record->later == item;
  if (listed) {
    if (item->next) item->next->previous = item->previous;
    if (item->previous) item->previous->next = item->next;
    if (later) {
      if (record->later == item) record->later = item->next;
      if (interlock_item_flags(item) & INTERLOCK_FLAG_DELAYED) {
        record->delayed--;
      } else {
        record->on_group--;
      }
    } else {
      if (record->first == item) record->first = item->next;
      if (record->last == item) record->last = item->previous;
      record->queued--;
    }
  }
  give(&record->lock);
}

void interlock_queue_configured(const interlock_event *event) {
  // The same calls suspend and resume sources: count only known queues.
  queue_record *record = find_queue((uintptr_t)event->object, false);
  if (!record) return;
  // Relaxed, here and below: a snapshot reads it when no thread makes progress.
  __atomic_store_n(&record->keeps_order, false, __ATOMIC_RELAXED);
  if (event->value == 1 || event->value == -1) {
    __atomic_fetch_add(&record->suspended, (int32_t)event->value, __ATOMIC_RELAXED);
  }
}

static uintptr_t peek_target(uintptr_t queue) {
  uintptr_t target = 0;
  size_t offset = interlock_queue_target_offset;
  return offset && interlock_peek(queue + offset, &target, sizeof target) ? target : 0;
}

static void view_queue(const queue_record *record, interlock_queue_view *view) {
  memset(view, 0, sizeof *view);
  view->queue = record->entry.key;
  view->is_main = record->entry.key == (uintptr_t)_dispatch_main_q;
  int root = interlock_root_index(record->entry.key);
  view->is_root = root >= 0;
  view->is_overcommit = root >= 6;
  view->suspended = __atomic_load_n(&record->suspended, __ATOMIC_RELAXED);
  view->keeps_order = view->is_root || __atomic_load_n(&record->keeps_order, __ATOMIC_RELAXED);
  if (!view->is_root) view->target = peek_target(record->entry.key);
  uint16_t width = 0;
  size_t offset = interlock_queue_width_offset;
  if (offset && interlock_peek(record->entry.key + offset, &width, sizeof width)) {
    view->width = view->is_main ? 1 : width;
  }
}

size_t interlock_waits_queues(interlock_queue_view *views, size_t capacity) {
  size_t count = 0;
  uint32_t used = table_used(&queues);
  for (uint32_t index = 0; index < used; index++) {
    queue_record *record = &records[index];
    // Acquire: pairs with the release in `table_add`, so that an entry with a key has its label.
    if (!__atomic_load_n(&record->entry.key, __ATOMIC_ACQUIRE)) continue;
    if (count < capacity) {
      interlock_queue_view *view = &views[count];
      view_queue(record, view);
      take(&record->lock);
      view->queued = record->queued;
      view->delayed = record->delayed;
      view->on_group = record->on_group;
      memcpy(view->label, record->label, sizeof view->label);
      uint64_t earliest = ~(uint64_t)0;
      int looked = 0;
      for (interlock_item *item = record->later; item && looked < 10000;
           item = item->next, looked++) {
        if ((interlock_item_flags(item) & INTERLOCK_FLAG_DELAYED) && item->turn < earliest) {
          earliest = item->turn;
        }
      }
      view->next_delayed = earliest;
      give(&record->lock);
    }
    count++;
  }
  return count;
}

void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view) {
  queue_record record = {.entry.key = queue};
  view_queue(&record, view);
  view->next_delayed = ~(uint64_t)0;
  const char *label = NULL;
  // A root queue is never freed, so its label can be read. Another queue without a record gets no
  // label.
  if (view->is_root) label = dispatch_queue_get_label((void *)queue);
  if (view->is_main) label = "com.apple.main-thread";
  if (label) {
    copy_label(&record, label);
    memcpy(view->label, record.label, sizeof view->label);
  }
}

uintptr_t interlock_waits_root(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (interlock_root_index(queue) >= 0) return queue;
    queue = peek_target(queue);
  }
  return 0;
}

size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity) {
  queue_record *record = find_queue(queue, false);
  if (!record) return 0;
  size_t count = 0;
  take(&record->lock);
  for (interlock_item *item = record->first; item && count < capacity; item = item->next) {
    items[count++] = (interlock_item_view){(uintptr_t)(item->origin & 0xffffffffffff),
                                           item->turn >> 22, (uint32_t)(item->turn & 0x3fffff),
                                           interlock_item_flags(item),
                                           (uintptr_t)item->function, (uintptr_t)item->context};
  }
  give(&record->lock);
  return count;
}

size_t interlock_waits_turns(uintptr_t root, uint64_t *turns, size_t capacity) {
  size_t count = 0;
  uint32_t used = table_used(&queues);
  for (uint32_t index = 0; index < used; index++) {
    queue_record *record = &records[index];
    uintptr_t queue = __atomic_load_n(&record->entry.key, __ATOMIC_ACQUIRE);
    if (!queue || !record->first) continue;
    if (interlock_waits_root(queue) != root) continue;
    take(&record->lock);
    for (interlock_item *item = record->first; item; item = item->next) {
      if (count < capacity) turns[count] = item->turn >> 22;
      count++;
    }
    give(&record->lock);
  }
  return count;
}

void interlock_queue_called(uintptr_t queue, bool barrier) {
  queue_record *record = find_queue(queue, true);
  if (record && barrier) __atomic_store_n(&record->keeps_order, false, __ATOMIC_RELAXED);
}

#endif
