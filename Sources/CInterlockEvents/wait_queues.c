// What the wait table knows of queues: what is queued on them, and what they are.
#include "layouts.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

// Queues.

typedef struct {
  uintptr_t queue;
  int lock;
  int32_t suspended;
  /// Whether it was made here and nothing since has held its blocks back.
  bool keeps_order;
  uint64_t queued, delayed, on_group;
  interlock_item *first, *last;
  /// Those that wait for a time or a group.
  interlock_item *later;
  char label[INTERLOCK_LABEL_BYTES];
} queue_record;

enum { queue_capacity = 1 << 14, queue_probes = 64 };
static queue_record queues[queue_capacity];

extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags)
    __attribute__((weak));
extern void dispatch_release(void *object) __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));
extern char _dispatch_queue_attr_concurrent[] __attribute__((weak));

/// Where a queue has its target and its width; 0 where that is not known, and then neither is used.
static size_t target_offset, width_offset;

static void copy_label(queue_record *record, const char *label) {
  if (!label) label = "";
  size_t length = strnlen(label, INTERLOCK_LABEL_BYTES - 1);
  memcpy(record->label, label, length);
  record->label[length] = 0;
}

static queue_record *find_queue(uintptr_t queue, bool make) {
  size_t first = hash_of(queue);
  for (size_t probe = 0; probe < queue_probes; probe++) {
    queue_record *record = &queues[(first + probe) & (queue_capacity - 1)];
    uintptr_t found = __atomic_load_n(&record->queue, __ATOMIC_ACQUIRE);
    if (found == queue) return record;
    if (found) continue;
    if (!make) return NULL;
    if (__atomic_compare_exchange_n(&record->queue, &found, queue, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      // Seen for the first time, in a call on it: it lives.
      copy_label(record, dispatch_queue_get_label((void *)queue));
      return record;
    }
    if (found == queue) return record;
  }
  interlock_note_partial();
  return NULL;
}

void interlock_queue_made(const interlock_event *event) {
  queue_record *record = find_queue((uintptr_t)event->object, true);
  if (!record) return;
  take(&record->lock);
  // Another was here before; what it had queued has run, or it would still be there.
  record->suspended = 0;
  record->keeps_order = true;
  copy_label(record, event->label);
  give(&record->lock);
}

static bool waits_first(const interlock_item *item) {
  return (item->origin >> 48) & (INTERLOCK_FLAG_DELAYED | INTERLOCK_FLAG_ON_GROUP);
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
    if ((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) {
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
    if ((item->origin >> 48) & INTERLOCK_FLAG_BARRIER) record->keeps_order = false;
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
      if ((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) {
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

static uintptr_t target_of(uintptr_t queue) {
  return target_offset ? *(const uintptr_t *)(queue + target_offset) : 0;
}

enum { most_roots = 12 };
static uintptr_t roots[most_roots];
/// The lowest of them, and how far the highest is from it: libdispatch has them in one array.
static uintptr_t lowest_root, root_span;

static int root_index(uintptr_t queue) {
  // One comparison for a user's queue.
  if (queue - lowest_root > root_span) return -1;
  for (int index = 0; index < most_roots; index++) {
    if (roots[index] == queue) return index;
  }
  return -1;
}

uintptr_t interlock_queue_root(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (root_index(queue) >= 0) return queue;
    queue = target_of(queue);
  }
  return 0;
}

uint32_t interlock_queue_width(uintptr_t queue) {
  return width_offset ? *(const uint16_t *)(queue + width_offset) : 0;
}

/// Whether a serial queue is another's target, or its target's, and so on.
static bool ends_at(uintptr_t queue, uintptr_t serial) {
  if (interlock_queue_width(serial) != 1) return false;
  for (uintptr_t at = target_of(queue); at && root_index(at) < 0; at = target_of(at)) {
    if (at == serial) return true;
  }
  return false;
}

bool interlock_is_same_exclusion(uintptr_t queue, const interlock_run *run, bool barrier) {
  if (queue != run->queue) return ends_at(queue, run->queue) || ends_at(run->queue, queue);
  if (interlock_queue_width(queue) == 1 || queue == (uintptr_t)_dispatch_main_q) return true;
  return root_index(queue) < 0 && width_offset &&
         (barrier || (run->flags & INTERLOCK_FLAG_BARRIER));
}

// The layout of queues: where libdispatch says that the fields are, for debuggers, and two queues
// made for it agree.

/// The words of `dispatch_queue_offsets` that are used, as libdispatch's private/layout_private.h
/// has them.
enum { at_version = 0, at_width = 7, at_width_size = 8, at_target = 13, at_target_size = 14 };

static bool has_fields(const void *queue, uint16_t width, const void *target) {
  return *(const uint16_t *)((uintptr_t)queue + width_offset) == width &&
         *(void *const *)((uintptr_t)queue + target_offset) == target;
}

bool interlock_check_queues(ptrdiff_t shift) {
  typedef void *create(const char *, void *, void *);
  create *make = (create *)interlock_find_real("dispatch_queue_create_with_target");
  // Not in the process, or linked in statically, where no call on a queue is seen.
  if (!make || !dispatch_get_global_queue || !dispatch_release) return true;
  static const intptr_t classes[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
  for (int index = 0; index < 6; index++) {
    roots[index] = (uintptr_t)dispatch_get_global_queue(classes[index], 0);
    roots[index + 6] = (uintptr_t)dispatch_get_global_queue(classes[index], 2);
  }
  uintptr_t highest = lowest_root = roots[0];
  for (int index = 1; index < most_roots; index++) {
    if (roots[index] < lowest_root) lowest_root = roots[index];
    if (roots[index] > highest) highest = roots[index];
  }
  root_span = highest - lowest_root;
  enum { first_with_target = 5, most = 120, concurrent_width = 0xffe };
  const uint16_t *told = (const uint16_t *)interlock_find_real("dispatch_queue_offsets");
  if (!told || told[at_version] < first_with_target || told[at_width_size] != sizeof(uint16_t) ||
      told[at_target_size] != sizeof(void *) || told[at_width] > most || told[at_target] > most) {
    return false;
  }
  width_offset = told[at_width] + (size_t)shift;
  target_offset = told[at_target] + (size_t)shift;
  void *target = (void *)roots[4];
  void *serial = make("interlock.serial", NULL, target);
  void *concurrent = make("interlock.concurrent", _dispatch_queue_attr_concurrent, target);
  bool holds = serial && concurrent && has_fields(serial, 1, target) &&
               has_fields(concurrent, concurrent_width, target);
  if (serial) dispatch_release(serial);
  if (concurrent) dispatch_release(concurrent);
  if (!holds) width_offset = target_offset = 0;
  return holds;
}

void interlock_queues_prepare(void) { interlock_layouts_check(); }

uint32_t interlock_queue_look(uintptr_t queue, uintptr_t *target) {
  *target = 0;
  if (!queue || !width_offset || root_index(queue) >= 0) return 0;
  if (queue == (uintptr_t)_dispatch_main_q) return 1;
  // Both are known, or neither: no second question in what each synchronous call asks several
  // times.
  *target = *(const uintptr_t *)(queue + target_offset);
  uint32_t width = *(const uint16_t *)(queue + width_offset);
  return width == 1 && interlock_events_is_task_pool(queue) ? 2 : width;
}

void interlock_queue_configured(const interlock_event *event) {
  // Sources are suspended and resumed by the same calls: only what is known as a queue is counted.
  queue_record *record = find_queue((uintptr_t)event->object, false);
  if (!record) return;
  // Relaxed, here and below: read when nothing moves.
  __atomic_store_n(&record->keeps_order, false, __ATOMIC_RELAXED);
  if (event->value == 1 || event->value == -1) {
    __atomic_fetch_add(&record->suspended, (int32_t)event->value, __ATOMIC_RELAXED);
  }
}

static uintptr_t peek_target(uintptr_t queue) {
  uintptr_t target = 0;
  if (!target_offset || !interlock_peek(queue + target_offset, &target, sizeof target)) return 0;
  return target;
}

static void view_queue(const queue_record *record, interlock_queue_view *view) {
  memset(view, 0, sizeof *view);
  view->queue = record->queue;
  view->is_main = record->queue == (uintptr_t)_dispatch_main_q;
  int root = root_index(record->queue);
  view->is_root = root >= 0;
  view->is_overcommit = root >= 6;
  view->suspended = __atomic_load_n(&record->suspended, __ATOMIC_RELAXED);
  view->keeps_order = view->is_root || __atomic_load_n(&record->keeps_order, __ATOMIC_RELAXED);
  if (!view->is_root) view->target = peek_target(record->queue);
  uint16_t width = 0;
  if (width_offset && interlock_peek(record->queue + width_offset, &width, sizeof width)) {
    view->width = view->is_main ? 1 : width;
  }
}

size_t interlock_waits_queues(interlock_queue_view *views, size_t capacity) {
  size_t count = 0;
  for (size_t index = 0; index < queue_capacity; index++) {
    queue_record *record = &queues[index];
    if (!__atomic_load_n(&record->queue, __ATOMIC_ACQUIRE)) continue;
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
        if (((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) && item->turn < earliest) {
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
  queue_record record = {.queue = queue};
  view_queue(&record, view);
  view->next_delayed = ~(uint64_t)0;
  const char *label = NULL;
  // A root queue's label stands at a place of its own; others that nobody was ever told of have
  // none here.
  if (view->is_root) label = dispatch_queue_get_label((void *)queue);
  if (view->is_main) label = "com.apple.main-thread";
  if (label) {
    copy_label(&record, label);
    memcpy(view->label, record.label, sizeof view->label);
  }
}

uintptr_t interlock_waits_root(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (root_index(queue) >= 0) return queue;
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
                                           (uint32_t)(item->origin >> 48),
                                           (uintptr_t)item->function, (uintptr_t)item->context};
  }
  give(&record->lock);
  return count;
}

uint64_t interlock_waits_ahead(uintptr_t root, uint64_t turn) {
  uint64_t ahead = 0;
  for (size_t index = 0; index < queue_capacity; index++) {
    queue_record *record = &queues[index];
    uintptr_t queue = __atomic_load_n(&record->queue, __ATOMIC_ACQUIRE);
    if (!queue || !record->first) continue;
    if (interlock_waits_root(queue) != root) continue;
    take(&record->lock);
    for (interlock_item *item = record->first; item && item->turn >> 22 < turn; item = item->next) {
      ahead++;
    }
    give(&record->lock);
  }
  return ahead;
}

void interlock_queue_called(uintptr_t queue, bool barrier) {
  queue_record *record = find_queue(queue, true);
  if (record && barrier) __atomic_store_n(&record->keeps_order, false, __ATOMIC_RELAXED);
}

#endif
