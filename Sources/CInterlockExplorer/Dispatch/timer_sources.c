// Timer sources. A queue of libdispatch, which gets no blocks, stands for each source: a queue can
// be retained, released and given a context, and need not be active to be released.
#include "timer_sources.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>

#include "interlock_explorer.h"

extern const char _dispatch_source_type_timer[] __attribute__((weak));
extern void *dispatch_get_context(void *object) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));

typedef struct {
  void (*function)(void *);
  void *context;
  bool is_block;
} handler;

enum { source_mark = 1 << 8 };

typedef struct source {
  struct source *next;
  void *object;
  uint32_t number;
  void *queue;
  handler on_event, on_cancel;
  uint64_t due, interval;
  interlock_logical_thread *timer;
  /// The call site that set the timer last.
  uintptr_t place;
  uint32_t suspensions;
  bool is_active, is_cancelled, is_armed;
  /// The source has fired, and its handler has not begun.
  bool is_pending;
} source;

/// The sources of the execution, linked by `next`.
static source *sources;

static void forget_sources(void) { sources = NULL; }

static source *source_at(void *object) { return interlock_object_at(object)->state; }

bool interlock_model_is_source(void *object) {
  return interlock_object_at(object)->flags & source_mark;
}

void *interlock_model_source_made(const void *type, void *queue) {
  if (type != _dispatch_source_type_timer) return NULL;
  typedef void *create(const char *, void *);
  create *make = (create *)interlock_find_real("dispatch_queue_create");
  interlock_marks.hidden++;
  void *object = make("interlock.timer", NULL);
  interlock_marks.hidden--;
  if (!object) return NULL;
  if (queue && dispatch_retain) dispatch_retain(queue);
  interlock_object *known = interlock_object_anew(object);
  source *made = interlock_execution_memory(sizeof *made);
  *made = (source){.object = object, .number = known->number,
                   .queue = queue ? queue : interlock_model_default_root(false)};
  interlock_at_execution_begin(forget_sources);
  made->next = sources;
  sources = made;
  known->flags |= source_mark;
  known->state = made;
  return object;
}

static void run_handler(source *from, handler *called) {
  if (!called->function) return;
  // A handler that is a function gets the source's context as of now.
  called->function(called->is_block ? called->context : dispatch_get_context(from->object));
}

static void run_on_event(void *context) {
  source *from = context;
  from->is_pending = false;
  // The source may have been cancelled after it fired, so test it here.
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_TEST_ITEM, from->number, 0));
  if (from->is_cancelled) return;
  run_handler(from, &from->on_event);
}

static void release(handler *called) {
  if (called->is_block && called->context && _Block_release) _Block_release(called->context);
  *called = (handler){0};
}

static void run_on_cancel(void *context) {
  source *from = context;
  run_handler(from, &from->on_cancel);
  release(&from->on_event);
  release(&from->on_cancel);
  if (!dispatch_release) return;
  dispatch_release(from->queue);
  dispatch_release(from->object);
}

static void hand_over(source *from, void (*function)(void *), uintptr_t place) {
  interlock_dispatch_request request = {.queue = from->queue, .function = function,
                                        .context = from};
  interlock_model_hand_over(interlock_model_item_of(&request), place);
}

static void arm(source *from);

static void fire(void *context) {
  source *from = context;
  from->timer = NULL;
  from->is_armed = false;
  bool was_pending = from->is_pending;
  from->is_pending = true;
  if (!was_pending) hand_over(from, run_on_event, 0);
  if (from->interval == 0 || from->interval == INTERLOCK_NEVER) return;
  from->due += from->interval;
  from->is_armed = true;
  arm(from);
}

static void arm(source *from) {
  bool runs = from->is_armed && from->is_active && !from->suspensions && !from->is_cancelled;
  if (!runs || from->timer || from->due == INTERLOCK_NEVER) return;
  from->timer = interlock_timer_start(from->due, fire, from, from->number, 0);
}

/// Returns the operation of a change of the timer. It depends on the timer's own firing and, with
/// exact times, on the firing of other timers.
static interlock_operation change_of(const source *from) {
  return interlock_time_is_exact()
             ? interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0)
             : interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, from->number, 0);
}

static void disarm(source *from) {
  interlock_timer_cancel(from->timer);
  from->timer = NULL;
}

void interlock_model_source_set_timer(void *object, uint64_t due, uint64_t interval,
                                      interlock_site site) {
  source *from = source_at(object);
  interlock_name_call("set timer");
  interlock_model_ask(change_of(from), site);
  disarm(from);
  from->place = site.place;
  from->due = due;
  from->interval = interval;
  from->is_armed = true;
  arm(from);
}

void interlock_model_source_set_handler(void *object, void (*function)(void *), void *context,
                                        bool is_block, bool on_cancel) {
  source *from = source_at(object);
  handler *set = on_cancel ? &from->on_cancel : &from->on_event;
  release(set);
  *set = (handler){function, context, is_block};
}

void interlock_model_source_change(void *object, int change) {
  source *from = source_at(object);
  interlock_did(change_of(from));
  if (change > 0) {
    from->suspensions++;
    disarm(from);
    return;
  }
  // A resume of an inactive source that is not suspended activates it.
  if (change < 0 && from->suspensions > 0) {
    from->suspensions--;
  } else if (!from->is_active) {
    from->is_active = true;
  } else if (change < 0) {
    interlock_model_over_resume();
  }
  arm(from);
}

void interlock_model_source_set_target(void *object, void *queue) {
  source *from = source_at(object);
  if (dispatch_retain) dispatch_retain(queue);
  if (dispatch_release) dispatch_release(from->queue);
  from->queue = queue;
}

void interlock_model_source_cancel(void *object, interlock_site site) {
  source *from = source_at(object);
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_CANCEL_ITEM, from->number, 0),
                      site);
  if (from->is_cancelled) return;
  from->is_cancelled = true;
  disarm(from);
  // The handler may hold the last reference to the source.
  if (dispatch_retain) dispatch_retain(object);
  hand_over(from, run_on_cancel, site.place);
}

size_t interlock_explored_stopped_timers(uintptr_t *places, size_t capacity) {
  size_t count = 0;
  for (const source *from = sources; from && count < capacity; from = from->next) {
    bool is_set = from->is_armed && from->on_event.function && !from->is_cancelled;
    if (is_set && (!from->is_active || from->suspensions)) places[count++] = from->place;
  }
  return count;
}

bool interlock_model_source_is_cancelled(void *object, interlock_site site) {
  source *from = source_at(object);
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_TEST_ITEM, from->number, 0), site);
  return from->is_cancelled;
}

#else

#include "interlock_explorer.h"

size_t interlock_explored_stopped_timers(uintptr_t *places, size_t capacity) {
  (void)places, (void)capacity;
  return 0;
}

#endif
