// Queues by their private layout: the width, the target, and the root that runs their blocks.
#include "../Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags)
    __attribute__((weak));
extern void dispatch_retain(void *object) __attribute__((weak));
extern void dispatch_release(void *object) __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));
extern char _dispatch_queue_attr_concurrent[] __attribute__((weak));

size_t interlock_queue_target_offset, interlock_queue_width_offset;
static size_t references_offset;
size_t interlock_root_first_offset, interlock_root_last_offset;

static uintptr_t target_of(uintptr_t queue) {
  size_t offset = interlock_queue_target_offset;
  return offset ? *(const uintptr_t *)(queue + offset) : 0;
}

static uintptr_t roots[interlock_most_roots];
/// The lowest root queue, and the distance from it to the highest: libdispatch has them in one
/// array.
static uintptr_t lowest_root, root_span;

int interlock_root_index(uintptr_t queue) {
  // One comparison decides for a user's queue.
  if (queue - lowest_root > root_span) return -1;
  for (int index = 0; index < interlock_most_roots; index++) {
    if (roots[index] == queue) return index;
  }
  return -1;
}

uintptr_t interlock_queue_root(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (interlock_root_index(queue) >= 0) return queue;
    queue = target_of(queue);
  }
  return 0;
}

uint32_t interlock_queue_width(uintptr_t queue) {
  size_t offset = interlock_queue_width_offset;
  return offset ? *(const uint16_t *)(queue + offset) : 0;
}

/// True if a serial queue is in another queue's chain of targets.
static bool ends_at(uintptr_t queue, uintptr_t serial) {
  if (interlock_queue_width(serial) != 1) return false;
  for (uintptr_t at = target_of(queue); at && interlock_root_index(at) < 0; at = target_of(at)) {
    if (at == serial) return true;
  }
  return false;
}

bool interlock_queues_exclude(uintptr_t queue, uintptr_t other, bool barrier) {
  if (queue != other) return ends_at(queue, other) || ends_at(other, queue);
  if (interlock_queue_width(queue) == 1 || queue == (uintptr_t)_dispatch_main_q) return true;
  return interlock_root_index(queue) < 0 && interlock_queue_width_offset && barrier;
}

int interlock_references(const void *object) {
  size_t offset = references_offset;
  if (!offset) return 0;
  // Relaxed: the caller owns one of the references, and compares the number with 1.
  return __atomic_load_n((const int *)((uintptr_t)object + offset), __ATOMIC_RELAXED) + 1;
}

/// Finds the count of the references that code outside of libdispatch has to an object: it is the
/// fourth half word of the object, and 0 for one reference.
static void find_references(void *object, ptrdiff_t shift) {
  references_offset = 12 + (size_t)shift;
  bool holds = interlock_references(object) == 1;
  dispatch_retain(object);
  holds = holds && interlock_references(object) == 2;
  dispatch_release(object);
  if (!holds || interlock_references(object) != 1) references_offset = 0;
}

// The layout of queues: the offsets that libdispatch exports for debuggers, confirmed on two queues
// made for this check.

/// The indexes of the words of `dispatch_queue_offsets` that are used; see libdispatch's
/// private/layout_private.h.
enum { at_version = 0, at_number = 5, at_number_size = 6, at_width = 7, at_width_size = 8,
       at_target = 13, at_target_size = 14 };

static bool has_fields(const void *queue, uint16_t width, const void *target) {
  return *(const uint16_t *)((uintptr_t)queue + interlock_queue_width_offset) == width &&
         *(void *const *)((uintptr_t)queue + interlock_queue_target_offset) == target;
}

bool interlock_check_queues(ptrdiff_t shift) {
  typedef void *create(const char *, void *, void *);
  create *make = (create *)interlock_find_real("dispatch_queue_create_with_target");
  // If libdispatch is absent or linked statically, no call on a queue is seen.
  if (!make || !dispatch_get_global_queue || !dispatch_release) return true;
  static const intptr_t classes[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
  for (int index = 0; index < 6; index++) {
    roots[index] = (uintptr_t)dispatch_get_global_queue(classes[index], 0);
    roots[index + 6] = (uintptr_t)dispatch_get_global_queue(classes[index], 2);
  }
  uintptr_t highest = lowest_root = roots[0];
  for (int index = 1; index < interlock_most_roots; index++) {
    if (roots[index] < lowest_root) lowest_root = roots[index];
    if (roots[index] > highest) highest = roots[index];
  }
  root_span = highest - lowest_root;
  enum { first_with_target = 5, most = 120, concurrent_width = 0xffe };
  const uint16_t *offsets = (const uint16_t *)interlock_find_real("dispatch_queue_offsets");
  if (!offsets || offsets[at_version] < first_with_target ||
      offsets[at_width_size] != sizeof(uint16_t) || offsets[at_target_size] != sizeof(void *) ||
      offsets[at_width] > most || offsets[at_target] > most) {
    return false;
  }
  interlock_queue_width_offset = offsets[at_width] + (size_t)shift;
  interlock_queue_target_offset = offsets[at_target] + (size_t)shift;
  void *target = (void *)roots[4];
  void *serial = make("interlock.serial", NULL, target);
  void *concurrent = make("interlock.concurrent", _dispatch_queue_attr_concurrent, target);
  bool holds = serial && concurrent && has_fields(serial, 1, target) &&
               has_fields(concurrent, concurrent_width, target);
  if (holds && dispatch_retain) find_references(serial, shift);
  if (serial) dispatch_release(serial);
  if (concurrent) dispatch_release(concurrent);
  if (!holds) interlock_queue_width_offset = interlock_queue_target_offset = 0;
  return holds;
}

bool interlock_check_roots(ptrdiff_t shift) {
  // The last item and the state are the two words before the serial number; the first item is the
  // third word after the one that begins with the width.
  enum { word = sizeof(uintptr_t), words_behind = 3, most = 120, highest_number = 64 };
  const uint16_t *offsets = (const uint16_t *)interlock_find_real("dispatch_queue_offsets");
  // Without the layout of queues, no code asks for the items.
  if (!offsets || !interlock_queue_width_offset) return true;
  size_t number = offsets[at_number], width = offsets[at_width];
  if (offsets[at_number_size] != word || number < 2 * word || number > most) return false;
  for (int index = 0; index < interlock_most_roots; index++) {
    const char *root = (const char *)roots[index] + shift;
    uintptr_t state = *(const uintptr_t *)(root + number - word);
    uintptr_t own_number = *(const uintptr_t *)(root + number);
    if (state == 0 || own_number == 0 || own_number > highest_number) return false;
  }
  interlock_root_last_offset = number - 2 * word;
  interlock_root_first_offset = width + words_behind * word;
  return true;
}

// The queues of the pool of tasks.

enum { most_pools = 16 };
static uintptr_t pools[most_pools];
static uint32_t pool_count;

void interlock_note_task_pool(uintptr_t queue) {
  // Relaxed, both: a job on the queue runs later, on a thread that Dispatch orders after this one.
  uint32_t index = __atomic_fetch_add(&pool_count, 1, __ATOMIC_RELAXED);
  if (index < most_pools) __atomic_store_n(&pools[index], queue, __ATOMIC_RELAXED);
}

bool interlock_events_is_task_pool(uintptr_t queue) {
  for (uint32_t index = 0; index < most_pools; index++) {
    uintptr_t pool = __atomic_load_n(&pools[index], __ATOMIC_RELAXED);
    if (pool == queue) return true;
    if (pool == 0) return false;
  }
  return false;
}

uint32_t interlock_queue_look(uintptr_t queue, uintptr_t *target) {
  *target = 0;
  if (!queue || !interlock_queue_width_offset || interlock_root_index(queue) >= 0) return 0;
  if (queue == (uintptr_t)_dispatch_main_q) return 1;
  // Either both offsets are known or neither, so test one only: a synchronous call comes here
  // several times.
  *target = *(const uintptr_t *)(queue + interlock_queue_target_offset);
  uint32_t width = *(const uint16_t *)(queue + interlock_queue_width_offset);
  return width == 1 && interlock_events_is_task_pool(queue) ? 2 : width;
}

#else

uint32_t interlock_queue_look(uintptr_t queue, uintptr_t *target) {
  (void)queue;
  *target = 0;
  return 0;
}

#endif
