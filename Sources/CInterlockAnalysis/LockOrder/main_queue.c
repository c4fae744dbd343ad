// Synchronous calls on the main queue. The main thread runs their blocks on behalf of the callers,
// so the callers' locks count as the main thread's own meanwhile.
#include "Graph/order_reader.h"

static int callers_lock;
/// The threads that wait for such a call to return.
static thread_record *callers;

void interlock_main_queue_called(thread_record *own, uintptr_t place) {
  // A job is one part of a task, whose other parts run on other threads, so the caller is not
  // known.
  if (own->order.jobs > 0 || !interlock_knows_held(own) || own->order.call_place) return;
  interlock_events_hide_thread(true);
  own->order.callers_owner = interlock_owner(own, &own->order.callers_gate);
  own->order.callers_owner = interlock_final_owner(own, own->order.callers_owner, place);
  own->order.call_place = place;
  take(&callers_lock);
  own->order.next_caller = callers;
  callers = own;
  give(&callers_lock);
  interlock_events_hide_thread(false);
}

void interlock_main_queue_returned(thread_record *own) {
  interlock_events_hide_thread(true);
  take(&callers_lock);
  thread_record **at = &callers;
  while (*at && *at != own) at = &(*at)->order.next_caller;
  if (*at) *at = own->order.next_caller;
  give(&callers_lock);
  own->order.call_place = 0;
  interlock_events_hide_thread(false);
}

bool interlock_adopt_caller(thread_record *own, uintptr_t place) {
  enum { most_adopted = INTERLOCK_HELD_MOST - 2 };
  if (own->order.adopted_run) return false;
  interlock_events_hide_thread(true);
  thread_record *caller = NULL;
  uint32_t count = 0;
  take(&callers_lock);
  for (thread_record *at = callers; at; at = at->order.next_caller) {
    if (at->order.call_place != place) continue;
    caller = at;
    count++;
  }
  give(&callers_lock);
  interlock_events_hide_thread(false);
  // The caller waits until the block has ended, so its held list does not change.
  if (count != 1 ||
      caller->held.counted[HELD_IN_ORDER] + own->held.counted[HELD_IN_ORDER] > most_adopted) {
    return false;
  }
  for (uint32_t index = 0; index < caller->held.count; index++) {
    held_lock held = caller->held.locks[index];
    if (!interlock_is_in_order(&held) || interlock_find_held(own, held.object)) continue;
    held.run = callers_run;
    add_held(&own->held, held, HELD_IN_ORDER);
  }
  own->order.adopted_owner = caller->order.callers_owner;
  own->order.adopted_gate = caller->order.callers_gate;
  own->order.adopted_run = own->order.run_count + 1;
  return true;
}

void interlock_leave_caller(thread_record *own) {
  for (uint32_t index = own->held.count; index-- > 0;) {
    held_lock *held = &own->held.locks[index];
    if (interlock_is_in_order(held) && held->run == callers_run) interlock_drop(own, held);
  }
  own->order.adopted_run = 0;
}

void interlock_main_queue_forked(void) {
  // The other threads do not exist in the child.
  callers_lock = 0;
  callers = NULL;
  if (interlock_own_record) interlock_own_record->order.is_main = true;
}
