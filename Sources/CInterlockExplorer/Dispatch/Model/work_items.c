// Work items: waits, notifications, cancellation. A work item is like a group that is left when the
// item has run.
#include "work_items.h"

#include "../run_loops.h"

#ifdef INTERLOCK_INTERPOSES

/// In a work item's object, `value` is 1 once the item has run; `first` and `last` are its
/// notifications; `state` is the data below. In the object of its private group, `state` is the
/// item. No other kind of object has the flag.
enum { is_of_item = 1 << 9 };

typedef struct {
  /// The number of the object of the waits; 0 for none yet.
  uint32_t waits;
  /// A thread waits; a wait has ended, because the item had run.
  bool is_waited_for, was_waited_for;
  bool is_of_execution, has_run;
} item_data;

static interlock_operation operation_on(interlock_operation_kind kind, void *item) {
  return interlock_operation_of(kind, interlock_object_at(item)->number, 0);
}

/// Returns the object of an item whose memory is still valid, and notes the item's group.
static interlock_object *object_of(void *item) {
  interlock_object *known = interlock_object_at(item);
  if (known->state) return known;
  known->state = interlock_execution_memory(sizeof(item_data));
  void *group = interlock_group_of_work_item(item);
  // The group needs no number: only the item's object is in operations.
  interlock_object_forget(group);
  interlock_object *noted = interlock_object_known(group);
  noted->flags = is_of_item;
  noted->state = item;
  return known;
}

void interlock_model_item_made(void *item) {
  interlock_object_anew(item);
  item_data *data = object_of(item)->state;
  data->is_of_execution = true;
}

bool interlock_model_item_called(void *group, uintptr_t place) {
  const interlock_object *known = interlock_object_known(group);
  if (!known || !(known->flags & is_of_item)) return false;
  const model_item *running = interlock_model_thread()->running;
  // The thread that runs a queued item records its end itself.
  bool is_queued = running && running->request.work_item == known->state;
  if (!is_queued) interlock_model_item_ran(known->state, place);
  return true;
}

/// Declares that the running step begins or ends a wait, or ends a run after the first one.
static void did_wait(item_data *data) {
  if (!data->waits) data->waits = interlock_object_number();
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, data->waits, 0));
}

static _Noreturn void misused(const char *text) {
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE, text);
  interlock_execution_abandon();
}

/// True if the item, whose memory is still valid, has run more than once. The count of an item that
/// is older than the execution includes earlier executions.
static bool ran_again(const void *item, const item_data *data) {
  return data->is_of_execution && interlock_runs_of_work_item(item) > 1;
}

static const char *const ran_and_waited =
    "a work item is run more than once and waited for: libdispatch traps";

void interlock_model_item_begins(void *item) {
  interlock_did(operation_on(INTERLOCK_OPERATION_TEST_ITEM, item));
  const item_data *data = object_of(item)->state;
  if (data->was_waited_for) misused(ran_and_waited);
}

void interlock_model_item_ran(void *item, uintptr_t place) {
  interlock_object *known = interlock_object_at(item);
  item_data *data = known->state;
  if (data && data->has_run) did_wait(data);
  if (data) data->has_run = true;
  interlock_model_release(operation_on(INTERLOCK_OPERATION_GROUP_LEAVE, item), place);
  known->value = 1;
  model_item *next = known->first;
  known->first = known->last = NULL;
  while (next) {
    model_item *notification = next;
    next = notification->next;
    interlock_model_hand_over(notification, place);
  }
}

static bool has_run(interlock_logical_thread *thread, void *item) {
  (void)thread;
  return ((const interlock_object *)item)->value == 1;
}

static bool wait_for(interlock_object *known, uint64_t due, interlock_operation wait,
                     interlock_site site) {
  if (due == INTERLOCK_NEVER) {
    interlock_point(wait, has_run, known, site.place);
    return true;
  }
  interlock_note_try();
  if (!interlock_is_due(due)) {
    wait.flags = INTERLOCK_OPERATION_TIMED;
    return interlock_point_until(wait, has_run, known, due, site.place);
  }
  wait.flags |= INTERLOCK_OPERATION_TRIED;
  interlock_point(wait, NULL, NULL, site.place);
  if (known->value) return true;
  wait.flags = INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(wait);
  return false;
}

long interlock_model_item_wait(void *item, uint64_t due, interlock_site site) {
  enum { timed_out = 49 };
  interlock_object *known = object_of(item);
  item_data *data = known->state;
  did_wait(data);
  const char *trap = data->is_waited_for || data->was_waited_for
                         ? "a work item is waited for more than once: libdispatch traps"
                     : ran_again(item, data) ? ran_and_waited
                                             : NULL;
  interlock_operation wait = operation_on(INTERLOCK_OPERATION_GROUP_WAIT, item);
  if (trap) {
    // The step shows the call in the schedule.
    interlock_point(wait, NULL, NULL, site.place);
    misused(trap);
  }
  data->is_waited_for = true;
  bool is_over = wait_for(known, due, wait, site);
  data->is_waited_for = false;
  if (is_over) {
    data->was_waited_for = true;
  } else {
    did_wait(data);
  }
  return is_over ? 0 : timed_out;
}

void interlock_model_item_notify(void *item, const interlock_dispatch_request *request,
                                 interlock_site site) {
  interlock_model_ask(operation_on(INTERLOCK_OPERATION_GROUP_NOTIFY, item), site);
  // The notification lets other code observe when the item has run.
  interlock_note_try();
  interlock_object *known = object_of(item);
  if (ran_again(item, known->state)) {
    misused("a work item is run more than once and has a notification: libdispatch traps");
  }
  model_item *notification = interlock_model_item_of(request);
  if (known->value) {
    interlock_model_hand_over(notification, site.place);
    return;
  }
  model_item *last = known->last;
  if (last) {
    last->next = notification;
  } else {
    known->first = notification;
  }
  known->last = notification;
}

void interlock_model_ask_item(void *item, bool cancels, interlock_site site) {
  // A waiter of XCTest cancels its own item, which was never queued.
  if (interlock_model_is_waiter()) return;
  interlock_operation_kind kind = cancels
      ? INTERLOCK_OPERATION_CANCEL_ITEM : INTERLOCK_OPERATION_TEST_ITEM;
  interlock_model_ask(operation_on(kind, item), site);
}

#endif
