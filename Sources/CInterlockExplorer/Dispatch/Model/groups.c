// Dispatch groups: the count of a group's members, the threads that wait for it, and its
// notifications.
#include "items.h"

#include "../../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

/// In a group's object, `value` is the number of entries that have not left; `first` and `last` are
/// the notifications; `state` has the enters to which no leave belongs yet. No other kind of object
/// has the flag.
enum { is_group = 1 << 8 };

/// An enter: the number of its thread, and the number of threads that were made before it.
typedef struct enter {
  struct enter *next;
  uint32_t thread, made_before;
} enter;

/// Finds an enter of the calling thread, or of the threads that have made it, before they made it.
/// Such an enter comes before the calling thread's next step in every order. Removes the enter, as
/// no other leave belongs to it.
static bool follows_own_enter(interlock_object *known) {
  uint32_t made = UINT32_MAX;
  for (const interlock_logical_thread *at = interlock_current_thread(); at; at = at->maker) {
    for (enter **link = (enter **)&known->state; *link; link = &(*link)->next) {
      if ((*link)->thread != at->number || (*link)->made_before > made) continue;
      *link = (*link)->next;
      return true;
    }
    made = at->number;
  }
  return false;
}

interlock_operation interlock_model_group_operation(interlock_operation_kind kind, void *group) {
  interlock_object *known = interlock_object_at(group);
  interlock_operation operation = interlock_operation_of(kind, known->number, 0);
  bool leaves = kind == INTERLOCK_OPERATION_GROUP_LEAVE;
  bool is_balanced = leaves ? follows_own_enter(known) : kind == INTERLOCK_OPERATION_GROUP_ENTER;
  if ((leaves || is_balanced) && !known->first) {
    operation.flags = INTERLOCK_OPERATION_NO_NOTIFICATION;
    if (is_balanced) operation.flags |= INTERLOCK_OPERATION_BALANCED;
  }
  return operation;
}

void interlock_model_group_made(void *group) { interlock_object_anew(group)->flags = is_group; }

bool interlock_model_is_group(void *group) {
  const interlock_object *known = interlock_object_known(group);
  if (!known || !(known->flags & is_group)) return false;
  // The running work item's private group, which no call has entered, may be in the memory of a
  // group that is gone.
  const model_item *running = interlock_model_thread()->running;
  return known->value > 0 || !running || !running->request.work_item;
}

void interlock_model_group_enter(void *group) {
  interlock_object *known = interlock_object_at(group);
  enter *made = interlock_execution_memory(sizeof *made);
  *made = (enter){known->state, interlock_current_thread()->number,
                  (uint32_t)interlock_the_engine.threads.count};
  known->state = made;
  known->flags = is_group;
  known->value++;
}

void interlock_model_group_leave(void *group, uintptr_t place) {
  interlock_object *known = interlock_object_at(group);
  if (known->value == 0) {
    interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE,
                             "a group is left more often than it was entered: libdispatch traps");
    interlock_execution_abandon();
  }
  if (--known->value > 0) return;
  model_item *next = known->first;
  known->first = known->last = NULL;
  while (next) {
    model_item *item = next;
    next = item->next;
    interlock_model_hand_over(item, place);
    if (dispatch_release) dispatch_release(group);
  }
}

static bool is_empty(interlock_logical_thread *thread, void *group) {
  (void)thread;
  return ((interlock_object *)group)->value == 0;
}

long interlock_model_group_wait(void *group, uint64_t due, interlock_site site) {
  enum { timed_out = 49 };
  interlock_object *known = interlock_object_at(group);
  interlock_operation wait = interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_WAIT, group);
  if (due == INTERLOCK_NEVER) {
    interlock_point(wait, is_empty, known, site.place);
    return 0;
  }
  interlock_note_try();
  if (!interlock_is_due(due)) {
    wait.flags |= INTERLOCK_OPERATION_TIMED;
    return interlock_point_until(wait, is_empty, known, due, site.place) ? 0 : timed_out;
  }
  wait.flags |= INTERLOCK_OPERATION_TRIED;
  interlock_point(wait, NULL, NULL, site.place);
  if (known->value == 0) return 0;
  wait.flags |= INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(wait);
  return timed_out;
}

/// Takes the flags of the threads' next enters and leaves: a notification is registered now.
static void take_flags(uint32_t group) {
  INTERLOCK_EACH_LIVE(thread) {
    interlock_operation *pending = &thread->pending;
    bool counts = pending->kind == INTERLOCK_OPERATION_GROUP_ENTER ||
                  pending->kind == INTERLOCK_OPERATION_GROUP_LEAVE;
    if (!counts || pending->object != group) continue;
    pending->flags = 0;
    interlock_the_engine.pending.items[thread->number] = *pending;
  }
}

void interlock_model_group_notify(void *group, model_item *item, uintptr_t place) {
  interlock_object *known = interlock_object_at(group);
  if (known->value == 0) {
    interlock_model_hand_over(item, place);
    return;
  }
  // The notification lets other code observe when the last member leaves.
  interlock_note_try();
  if (!known->first) take_flags(known->number);
  if (dispatch_retain) dispatch_retain(group);
  model_item *last = known->last;
  if (last) {
    last->next = item;
  } else {
    known->first = item;
  }
  known->last = item;
}

#endif
