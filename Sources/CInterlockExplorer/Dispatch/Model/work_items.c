// Work items: waits, notifications, cancellation. A work item is like a group that is left when the
// item has run.
#include "work_items.h"

#include "../run_loops.h"

#ifdef INTERLOCK_INTERPOSES

/// In a work item's object, `value` is 1 once the item has run; `first` and `last` are its
/// notifications.
static interlock_operation operation_on(interlock_operation_kind kind, void *item) {
  return interlock_operation_of(kind, interlock_object_at(item)->number, 0);
}

void interlock_model_item_made(void *item) { interlock_object_anew(item); }

void interlock_model_item_begins(void *item) {
  interlock_did(operation_on(INTERLOCK_OPERATION_TEST_ITEM, item));
}

void interlock_model_item_ran(void *item, uintptr_t place) {
  interlock_object *known = interlock_object_at(item);
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

long interlock_model_item_wait(void *item, uint64_t due, interlock_site site) {
  enum { timed_out = 49 };
  interlock_object *known = interlock_object_at(item);
  interlock_operation wait = operation_on(INTERLOCK_OPERATION_GROUP_WAIT, item);
  if (due == INTERLOCK_NEVER) {
    interlock_point(wait, has_run, known, site.place);
    return 0;
  }
  interlock_note_try();
  if (!interlock_is_due(due)) {
    wait.flags = INTERLOCK_OPERATION_TIMED;
    return interlock_point_until(wait, has_run, known, due, site.place) ? 0 : timed_out;
  }
  wait.flags |= INTERLOCK_OPERATION_TRIED;
  interlock_point(wait, NULL, NULL, site.place);
  if (known->value) return 0;
  wait.flags = INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(wait);
  return timed_out;
}

void interlock_model_item_notify(void *item, const interlock_dispatch_request *request,
                                 interlock_site site) {
  interlock_model_ask(operation_on(INTERLOCK_OPERATION_GROUP_NOTIFY, item), site);
  // The notification lets other code observe when the item has run.
  interlock_note_try();
  interlock_object *known = interlock_object_at(item);
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
