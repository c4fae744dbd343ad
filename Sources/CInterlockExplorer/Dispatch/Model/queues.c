// The model's queues for libdispatch's objects, made on first use in an execution.
#include "model.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <string.h>

#include "interlock_objects.h"

enum { overcommit_width = INTERLOCK_DISPATCH_POOL_WIDTH, most_concurrent = 0xffe };

extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags) __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));

void *interlock_model_default_root(bool overcommits) {
  enum { default_class = 0x15, overcommit_flag = 2 };
  return dispatch_get_global_queue(default_class, overcommits ? overcommit_flag : 0);
}

/// The root of the main queue, a pool of one thread.
static model_queue main_root;

static uint32_t pool_width(void) {
  uint32_t asked = interlock_exploration_asked()->pool_width;
  return asked ? asked : overcommit_width;
}

/// A pool with room for all tasks, so that the explored orders hold for machines of any width.
static const uint32_t room_for_all = INT32_MAX;


/// The pools that the execution has used: the roots, and the queues of Swift Concurrency.
enum { most_pools = interlock_most_roots + 16 };
static model_queue *used_pools[most_pools];
static int used_pool_count;

static void note_pool(model_queue *pool) {
  if (used_pool_count < most_pools) used_pools[used_pool_count++] = pool;
}

uint32_t interlock_model_dry_pool(const char **label) {
  for (int index = 0; index < used_pool_count; index++) {
    const model_queue *pool = used_pools[index];
    if (pool->running < pool->width || !pool->first) continue;
    *label = dispatch_queue_get_label(pool->object);
    return pool->width;
  }
  return 0;
}

/// The first half of the roots have pools of the width in the options. The other roots serve queues
/// without a target, and always have the system's limit.
static void fill_root(model_queue *queue, int index) {
  queue->kind = QUEUE_ROOT;
  queue->width = index >= interlock_most_roots / 2 ? overcommit_width : pool_width();
}

static void *target_of(void *object, uint32_t *width) {
  uintptr_t target;
  *width = interlock_queue_look((uintptr_t)object, &target);
  return (void *)target;
}

/// Keeps the queue's label for a report, because the queue may be gone by then.
static void keep_label(interlock_object *known, void *object) {
  if (!interlock_exploration_asked()->follows_callers || !dispatch_queue_get_label) return;
  const char *label = dispatch_queue_get_label(object);
  if (!label || !*label) return;
  size_t size = strlen(label) + 1;
  char *kept = interlock_execution_memory(size);
  memcpy(kept, label, size);
  known->name = kept;
}

/// Recognises the queues of XCTest by their labels.
static void note_xctest(model_queue *queue) {
  static const char prefix[] = "org.swift.XCTest";
  if (!interlock_exploration_asked()->body_is_main || !dispatch_queue_get_label) return;
  const char *label = dispatch_queue_get_label(queue->object);
  queue->is_of_xctest = label && strncmp(label, prefix, sizeof prefix - 1) == 0;
  queue->ends_waits = queue->is_of_xctest && strstr(label, ".delegate");
}

static model_queue *fill(interlock_object *known, void *object) {
  model_queue *queue = interlock_execution_memory(sizeof *queue);
  queue->object = object;
  queue->number = known->number;
  known->state = queue;
  known->flags |= INTERLOCK_MODEL_QUEUE;
  keep_label(known, object);
  note_xctest(queue);
  int root = interlock_root_index((uintptr_t)object);
  if (root >= 0) {
    fill_root(queue, root);
    note_pool(queue);
    return queue;
  }
  if (object == (void *)_dispatch_main_q) {
    main_root = (model_queue){.kind = QUEUE_ROOT, .width = 1, .number = interlock_object_number()};
    queue->kind = QUEUE_SERIAL;
    queue->target = &main_root;
    return queue;
  }
  uint32_t width;
  void *target = target_of(object, &width);
  bool is_task_pool = interlock_events_is_task_pool((uintptr_t)object);
  queue->kind = width == 1 && !is_task_pool ? QUEUE_SERIAL : QUEUE_CONCURRENT;
  queue->width = UINT32_MAX;
  if (is_task_pool) {
    const interlock_exploration_options *asked = interlock_exploration_asked();
    uint32_t own_width = asked->task_width ? asked->task_width : asked->pool_width;
    queue->is_task_pool = true;
    queue->width = own_width ? own_width : room_for_all;
    note_pool(queue);
    if (!asked->pool_width) {
      // A root of its own: no block of Dispatch waits for a worker that a task has.
      queue->target = interlock_execution_memory(sizeof *queue);
      *queue->target = (model_queue){.kind = QUEUE_ROOT, .width = room_for_all,
                                     .number = interlock_object_number()};
      return queue;
    }
  }
  if (!target) target = interlock_model_default_root(queue->kind == QUEUE_SERIAL);
  queue->target = interlock_model_queue_at(target);
  return queue;
}

model_queue *interlock_model_queue_at(void *object) {
  interlock_object *known = interlock_object_at(object);
  return known->state ? known->state : fill(known, object);
}

void interlock_model_queue_made(void *object, bool is_inactive) {
  // The runtime makes its queues in the first execution that needs them. Number them on first use
  // instead.
  if (interlock_events_is_task_pool((uintptr_t)object)) {
    interlock_object_forget(object);
    return;
  }
  model_queue *queue = fill(interlock_object_anew(object), object);
  queue->is_of_execution = true;
  queue->suspensions = is_inactive;
  queue->is_inactive = is_inactive;
  if (is_inactive && queue->kind == QUEUE_CONCURRENT) interlock_model_note_barrier();
}

// The specific values of queues that an execution has made; they end with the execution.

typedef struct specific {
  void *value;
  void (*destroy)(void *);
  struct specific *next;
} specific;
static specific *specifics;

static void destroy_specifics(void) {
  while (specifics) {
    specific *first = specifics;
    specifics = first->next;
    first->destroy(first->value);
    free(first);
  }
}

static void begin_execution(void) {
  destroy_specifics();
  used_pool_count = 0;
}

__attribute__((constructor)) static void prepare(void) {
  interlock_at_execution_begin(begin_execution);
}

bool interlock_model_keep_specific(void *object, void *value, void (*destroy)(void *)) {
  if (!interlock_model_queue_at(object)->is_of_execution) return false;
  specific *kept = malloc(sizeof *kept);
  if (!kept) return false;
  *kept = (specific){value, destroy, specifics};
  specifics = kept;
  return true;
}

bool interlock_model_is_on(const model_queue *queue, const model_queue *other) {
  for (; queue; queue = queue->target) {
    if (queue == other) return true;
  }
  return false;
}

model_queue *interlock_model_root(model_queue *queue) {
  while (queue->target) queue = queue->target;
  return queue;
}

#endif
