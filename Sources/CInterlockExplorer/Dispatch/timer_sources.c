// Timer sources, and sources of user data. A queue of libdispatch, which gets no blocks, stands for
// each source: a queue can be retained, released and given a context, and need not be active to be
// released.
//
// A source is at most once in its target queue. When its turn comes there, it calls the event
// handler once if it has fired, and then the cancel handler if it is cancelled. So no handler runs
// beside another one. A source that fires while its handler runs comes behind the blocks that the
// queue has by then. A suspended source leaves the queue when its turn comes, and comes back at the
// last resume.
//
// A source of user data fires when data is merged into it, and no manager has it.
#include "timer_sources.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>

#include "interlock_explorer.h"

extern const char _dispatch_source_type_timer[] __attribute__((weak));
extern const char _dispatch_source_type_data_add[] __attribute__((weak));
extern const char _dispatch_source_type_data_or[] __attribute__((weak));
extern const char _dispatch_source_type_data_replace[] __attribute__((weak));
extern void *dispatch_get_context(void *object) __attribute__((weak));
extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));

typedef struct {
  void (*function)(void *);
  void *context;
  bool is_block;
} handler;

enum { source_mark = 1 << 10, outside_mark = 1 << 11 };

typedef struct source {
  struct source *next;
  void *object;
  uint32_t number;
  void *queue;
  handler on_event, on_cancel;
  /// For a source of user data, the type; NULL for a timer.
  const char *data_type;
  /// The data that the next event has, and the data of the last event.
  uintptr_t merged, data;
  uint64_t due, interval;
  interlock_logical_thread *timer;
  /// The row of waits of the last firing.
  interlock_row_of_waits waits;
  /// The call site that set the timer last.
  uintptr_t place;
  uint32_t suspensions;
  /// For a source that the runtime makes for a sleep with a tolerance: see
  /// `interlock_model_sleeper`.
  uint32_t ends_sleep_of;
  bool is_active, is_cancelled, is_armed;
  /// The source has fired, and its handler has not begun.
  bool is_pending;
  /// The source is in its target queue or runs there, or libdispatch's manager removes the timer.
  bool is_posted;
  /// The manager, a thread of libdispatch, has the timer and must remove it before the cancel
  /// handler can run. It gives the timer up when the timer fires for the last time, or a second
  /// time before the handler begins; it takes the timer back once the handler has run.
  bool is_at_manager;
  /// The cancel handler has begun, or would have if there were one.
  bool is_over;
} source;

/// The sources of the execution, linked by `next`.
static source *sources;

static void forget_sources(void) { sources = NULL; }

static source *source_at(void *object) { return interlock_object_at(object)->state; }

bool interlock_model_is_source(void *object) {
  return interlock_object_at(object)->flags & source_mark;
}

bool interlock_model_is_outside(void *object) {
  const interlock_object *known = interlock_object_known(object);
  return known && known->flags & outside_mark;
}

void interlock_model_source_is_outside(void *object) {
  interlock_object_anew(object)->flags = outside_mark;
}

bool interlock_model_source_is_stopped(const interlock_object *object) {
  const source *from = object->flags & source_mark ? object->state : NULL;
  return from && (!from->is_active || from->suspensions);
}

bool interlock_model_source_is_active(const interlock_object *object) {
  return ((const source *)object->state)->is_active;
}

int interlock_model_source_references(const void *object) {
  int count = 0;
  for (const source *from = sources; from; from = from->next) {
    // A cancelled source has a reference to itself until its cancel handler runs.
    bool has_own = from->object == object && from->is_cancelled;
    count += !from->is_over && (from->queue == object || has_own);
  }
  return count;
}

void *interlock_model_source_made(const void *type, void *queue) {
  bool has_data = type == _dispatch_source_type_data_add || type == _dispatch_source_type_data_or ||
                  type == _dispatch_source_type_data_replace;
  if (type != _dispatch_source_type_timer && !has_data) return NULL;
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
                   .queue = queue ? queue : interlock_model_default_root(false),
                   .data_type = has_data ? type : NULL};
  interlock_at_execution_begin(forget_sources);
  made->next = sources;
  sources = made;
  known->flags |= source_mark;
  known->state = made;
  return object;
}

static void release(handler *called) {
  if (called->is_block && called->context && _Block_release) _Block_release(called->context);
  *called = (handler){0};
}

static void run_handler(source *from, const handler *called) {
  if (!called->function) return;
  // Another handler can replace this one while it runs.
  handler running = *called;
  if (running.is_block && _Block_copy) running.context = _Block_copy(running.context);
  // A handler that is a function gets the source's context as of now.
  running.function(running.is_block ? running.context : dispatch_get_context(from->object));
  release(&running);
}

static void run_on_cancel(source *from) {
  from->is_over = true;
  run_handler(from, &from->on_cancel);
  release(&from->on_event);
  release(&from->on_cancel);
  if (!dispatch_release) return;
  dispatch_release(from->queue);
  dispatch_release(from->object);
}

/// Returns the operation that looks at what firings, suspensions and a cancellation have changed.
static interlock_operation look_of(const source *from) {
  return interlock_operation_of(INTERLOCK_OPERATION_TEST_ITEM, from->number, 0);
}

static bool is_set(const source *from) { return from->is_armed && from->due != INTERLOCK_NEVER; }

static bool repeats(const source *from) {
  return from->interval != 0 && from->interval != INTERLOCK_NEVER;
}

static void arm(source *from);
static void wake(source *from, uintptr_t place);

static void *remove_from_manager(void *context) {
  source *from = context;
  interlock_did(look_of(from));
  from->is_posted = false;
  // The manager does not handle a suspended source.
  if (!from->suspensions) from->is_at_manager = false;
  wake(from, interlock_current_thread()->place);
  return NULL;
}

/// True if it matters whether the source keeps its turn in the queue between two handlers.
static bool turn_matters(const source *from) {
  const model_queue *queue = interlock_model_queue_at(from->queue);
  return interlock_model_order_matters(queue) || interlock_model_is_nested(queue) ||
         interlock_model_pools_matter();
}

/// Calls the event handler, and looks at the source again.
static void handle_event(source *from) {
  from->is_pending = false;
  // libdispatch gives the number of a timer's firings since the last event. The model does not
  // count the firings that are one event.
  from->data = from->data_type ? from->merged : 1;
  from->merged = 0;
  // A repeating timer that the manager has given up skips the times that have passed.
  if (repeats(from) && is_set(from) && !from->is_at_manager && interlock_is_due(from->due)) {
    uint64_t passed = interlock_virtual_now() - from->due;
    from->due += (passed / from->interval + 1) * from->interval;
  }
  interlock_model_sleep_ends(from->ends_sleep_of);
  run_handler(from, &from->on_event);
  // A cancellation that comes after the handler's last step and before this look lets the cancel
  // handler run in the same turn. Only the order of the queue shows the difference.
  if (!from->is_cancelled && !from->is_at_manager && turn_matters(from)) {
    interlock_name_call(from->data_type ? "end of source's handler" : "end of timer's handler");
    interlock_point(look_of(from), NULL, NULL, interlock_current_thread()->place);
  } else {
    interlock_did(look_of(from));
  }
}

/// The source's turn in its target queue.
static void run_source(void *context) {
  source *from = context;
  interlock_did(look_of(from));
  const bool is_suspended = from->suspensions;
  if (!is_suspended && from->is_pending && !from->is_cancelled) handle_event(from);
  from->is_posted = false;
  // A suspension by the event handler does not delay the cancel handler.
  if (!is_suspended && from->is_cancelled && !from->is_at_manager) return run_on_cancel(from);
  if (!from->is_cancelled && !from->is_pending) from->is_at_manager = is_set(from);
  // The next firing continues the row of the last one, which may have come during this turn.
  interlock_current_thread()->waits = from->waits;
  arm(from);
  wake(from, 0);
}

/// Hands the source over to its target queue or to the manager, if it has something to do there.
static void wake(source *from, uintptr_t place) {
  if (from->is_posted || from->is_over || !from->is_active || from->suspensions) return;
  if (from->is_cancelled && from->is_at_manager) {
    from->is_posted = true;
    interlock_logical_thread *manager =
        interlock_spawn(remove_from_manager, from,
                        interlock_operation_of(INTERLOCK_OPERATION_START, 0, 0), NULL, NULL,
                        INTERLOCK_THREAD_UNNAMED, place);
    manager->call = "remove timer";
  } else if (from->is_cancelled || from->is_pending) {
    from->is_posted = true;
    interlock_dispatch_request request = {.queue = from->queue, .function = run_source,
                                          .context = from};
    interlock_model_hand_over(interlock_model_item_of(&request), place);
  }
}

static void fire(void *context) {
  source *from = context;
  from->timer = NULL;
  from->waits = interlock_current_thread()->waits;
  from->is_armed = false;
  if (from->is_pending || !repeats(from)) from->is_at_manager = false;
  from->is_pending = true;
  wake(from, 0);
  if (!repeats(from)) return;
  from->due += from->interval;
  from->is_armed = true;
  arm(from);
}

static void arm(source *from) {
  bool runs = from->is_at_manager && is_set(from) && from->is_active && !from->suspensions &&
              !from->is_cancelled;
  if (!runs || from->timer) return;
  from->timer = interlock_timer_start(from->due, fire, from, from->number, 0);
}

/// Asks to change the timer. The change depends on the timer's own firing and on the handlers and,
/// with exact times, on the firing of other timers.
static void ask_change(const source *from, const char *call, interlock_site site) {
  interlock_operation change =
      interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, from->number, 0);
  if (interlock_model_is_choice(site)) interlock_name_call(call);
  if (!interlock_time_is_exact()) return interlock_model_ask(change, site);
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0), site);
  interlock_did(change);
}

static void disarm(source *from) {
  interlock_timer_cancel(from->timer);
  from->timer = NULL;
}

void interlock_model_source_set_timer(void *object, uint64_t due, uint64_t interval,
                                      interlock_site site) {
  source *from = source_at(object);
  ask_change(from, "set timer", site);
  disarm(from);
  from->place = site.place;
  from->due = due;
  from->interval = interval;
  from->is_armed = true;
  // The new time drops an event of the old one. The manager gets the new time once the source has
  // had its turn in the queue.
  from->is_pending = false;
  if (!from->is_posted && !from->is_cancelled) from->is_at_manager = is_set(from);
  arm(from);
}

void interlock_model_source_set_handler(void *object, void (*function)(void *), void *context,
                                        bool is_block, bool on_cancel, interlock_site site) {
  source *from = source_at(object);
  if (!is_block && interlock_events_is_concurrency((uintptr_t)function)) {
    from->ends_sleep_of = interlock_model_sleeper();
  }
  // A timer can fire before it has a handler. An inactive source has no other thread that sees it.
  if (from->is_active) ask_change(from, "set handler", site);
  handler *set = on_cancel ? &from->on_cancel : &from->on_event;
  release(set);
  *set = (handler){function, context, is_block};
}

void interlock_model_source_suspend(void *object, interlock_site site) {
  source *from = source_at(object);
  ask_change(from, from->data_type ? "suspend source" : "suspend timer", site);
  from->suspensions++;
  disarm(from);
}

void interlock_model_source_resume(void *object, bool activates, interlock_site site) {
  source *from = source_at(object);
  const char *call = activates ? "activate timer" : "resume timer";
  if (from->data_type) call = activates ? "activate source" : "resume source";
  ask_change(from, call, site);
  if (!activates && from->suspensions > 0) {
    from->suspensions--;
  } else if (!from->is_active) {
    from->is_active = true;
    // libdispatch does not give a timer that is already cancelled to the manager.
    if (from->is_cancelled) from->is_at_manager = false;
  } else if (!activates) {
    interlock_model_over_resume();
  }
  arm(from);
  wake(from, site.place);
}

void interlock_model_source_merge(void *object, uintptr_t data, interlock_site site) {
  source *from = source_at(object);
  if (interlock_model_is_choice(site)) interlock_name_call("merge data");
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, from->number, 0),
                      site);
  if (!from->data_type || from->is_cancelled) return;
  if (from->data_type == _dispatch_source_type_data_add) {
    from->merged += data;
  } else if (from->data_type == _dispatch_source_type_data_or) {
    from->merged |= data;
  } else {
    from->merged = data;
  }
  // Data of 0 is no event.
  from->is_pending = from->merged != 0;
  wake(from, site.place);
}

uintptr_t interlock_model_source_data(void *object) { return source_at(object)->data; }

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
  wake(from, site.place);
}

size_t interlock_explored_stopped_timers(uintptr_t *places, size_t capacity) {
  size_t count = 0;
  for (const source *from = sources; from && count < capacity; from = from->next) {
    bool has_event = from->is_armed && from->on_event.function && !from->is_cancelled;
    if (has_event && (!from->is_active || from->suspensions)) places[count++] = from->place;
  }
  return count;
}

bool interlock_model_source_is_cancelled(void *object, interlock_site site) {
  source *from = source_at(object);
  interlock_model_ask(look_of(from), site);
  return from->is_cancelled;
}

#else

#include "interlock_explorer.h"

size_t interlock_explored_stopped_timers(uintptr_t *places, size_t capacity) {
  (void)places, (void)capacity;
  return 0;
}

#endif
