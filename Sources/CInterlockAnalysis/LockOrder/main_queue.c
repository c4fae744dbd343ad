// Synchronous calls on the main queue. The main thread runs their blocks, and acts for the callers:
// it holds what they hold.
#include "order_reader.h"

static int callers_lock;
/// Threads that wait for such a call.
static order_record *callers;

void interlock_main_queue_called(order_record *state, uintptr_t place) {
  // The call of a job's is one of many parts of its task, which others run.
  if (state->jobs > 0 || !interlock_knows_held(state) || state->call_place) return;
  interlock_events_hide_thread(true);
  state->callers_owner = interlock_owner(state, &state->callers_gate);
  state->callers_owner = interlock_final_owner(state, state->callers_owner, place);
  state->call_place = place;
  take(&callers_lock);
  state->next_caller = callers;
  callers = state;
  give(&callers_lock);
  interlock_events_hide_thread(false);
}

void interlock_main_queue_returned(order_record *state) {
  interlock_events_hide_thread(true);
  take(&callers_lock);
  order_record **at = &callers;
  while (*at && *at != state) at = &(*at)->next_caller;
  if (*at) *at = state->next_caller;
  give(&callers_lock);
  state->call_place = 0;
  interlock_events_hide_thread(false);
}

bool interlock_adopt_caller(order_record *state, uintptr_t place) {
  if (state->adopted_run) return false;
  interlock_events_hide_thread(true);
  order_record *caller = NULL;
  uint32_t count = 0;
  take(&callers_lock);
  for (order_record *at = callers; at; at = at->next_caller) {
    if (at->call_place != place) continue;
    caller = at;
    count++;
  }
  give(&callers_lock);
  interlock_events_hide_thread(false);
  // The thread that called at this place waits until the block has ended: what it holds stays as it
  // is.
  if (count != 1 || caller->held_count + state->held_count > INTERLOCK_HELD_LOCKS_MOST - 2) return false;
  for (uint32_t index = 0; index < caller->held_count; index++) {
    held_lock held = caller->held[index];
    if (interlock_find_held(state, held.object)) continue;
    held.run = callers_run;
    state->held[state->held_count++] = held;
  }
  state->adopted_owner = caller->callers_owner;
  state->adopted_gate = caller->callers_gate;
  state->adopted_run = state->run_count + 1;
  return true;
}

void interlock_leave_caller(order_record *state) {
  for (uint32_t index = state->held_count; index-- > 0;) {
    if (state->held[index].run == callers_run) interlock_drop(state, &state->held[index]);
  }
  state->adopted_run = 0;
}

void interlock_main_queue_forked(void) {
  // The other threads are not here.
  callers_lock = 0;
  callers = NULL;
}
