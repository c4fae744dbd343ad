// The blocks that a thread runs: a queue is held by whoever runs a block on it.
#include "order_reader.h"

#include <unistd.h>

#include "interlock_runtime.h"

void interlock_note_begin(order_record *state, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object, target;
  bool is_part = event->flags & INTERLOCK_FLAG_APPLY;
  bool is_synchronous = event->item == NULL && !is_part;
  bool is_own = state->wait_kind == INTERLOCK_OBJECT_QUEUE && state->wait_object == queue;
  if (is_synchronous && is_own) interlock_end_wait(state, queue);
  state->wait_kind = 0;
  uint32_t width = interlock_queue_look(queue, &target);
  // The task pool's own queue lets as many in as it has threads, and nobody calls it synchronously.
  bool is_pool_job = (event->flags & INTERLOCK_FLAG_JOB) && width != 1;
  bool holds_queue = width != 0 && !is_pool_job;
  if (state->run_count < runs_most) {
    thread_run *run = &state->runs[state->run_count];
    *run = (thread_run){.queue = queue,
                        .number = is_synchronous ? 0 : interlock_next_number(),
                        .flags = event->flags,
                        .is_borrowed = is_synchronous && !is_own,
                        .ends = event->flags & INTERLOCK_FLAG_GROUP ? (uintptr_t)event->value
                                                                    : (uintptr_t)event->other,
                        .is_pool_job = is_pool_job,
                        .holds_queue = holds_queue};
    if (run->is_borrowed && interlock_adopt_caller(state, event->place)) run->is_borrowed = false;
    if (run->is_borrowed) state->borrowed++;
    if (is_pool_job) state->jobs++;
  }
  state->run_count++;
  if (!holds_queue) return;
  held_lock *known = interlock_find_held(state, queue);
  if (known) {
    known->count++;
    return;
  }
  interlock_hold(state, (held_lock){.object = queue,
                                    .place = event->place,
                                    .count = 1,
                                    .kind = INTERLOCK_OBJECT_QUEUE,
                                    .is_shared = interlock_shares_queue(width, event->flags)});
}

/// What a block has taken and not given back is nobody's from here on: the thread's next block is
/// another's.
static void leave_behind(order_record *state, const thread_run *run) {
  for (uint32_t index = state->held_count; index-- > 0;) {
    held_lock lock = state->held[index];
    if (lock.run < state->run_count + 1 || lock.run == callers_run) continue;
    if (lock.kind == INTERLOCK_OBJECT_QUEUE) continue;
    if (run->number == 0) {
      // A synchronous block acts for its caller.
      state->held[index].run = (uint16_t)state->run_count;
      continue;
    }
    interlock_drop(state, &state->held[index]);
    if (lock.kind == INTERLOCK_OBJECT_SEMAPHORE) {
      interlock_semaphore_signalled(lock.object, false);
    } else if ((run->flags & INTERLOCK_FLAG_JOB) && lock.kind != INTERLOCK_OBJECT_ONCE) {
      interlock_note_incident(state, INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT, lock.kind, lock.object,
                              lock.place, lock.outer, 0, 0);
    } else if (interlock_thread_number() != (uint64_t)getpid()) {
      // The main thread may unlock it in a later block. A pool's thread has no later block of its
      // own.
      interlock_note_left_lock(state, &lock, INTERLOCK_INCIDENT_LEFT_BY_BLOCK);
    }
  }
}

void interlock_note_end(order_record *state, const interlock_event *event) {
  if (state->run_count == 0) return;
  state->run_count--;
  if (state->run_count >= runs_most) {
    interlock_let_go(state, (uintptr_t)event->object, 0);
    return;
  }
  // A copy: the handler of a signal may begin a block in its place.
  thread_run run = state->runs[state->run_count];
  if (run.ends) {
    interlock_event end = *event;
    bool is_group = run.flags & INTERLOCK_FLAG_GROUP;
    end.object_kind = is_group ? INTERLOCK_OBJECT_GROUP : INTERLOCK_OBJECT_WORK_ITEM;
    end.object = (const void *)run.ends;
    interlock_signalled(state, &end, true);
  }
  if (state->adopted_run == state->run_count + 1) interlock_leave_caller(state);
  if (run.is_borrowed && state->borrowed > 0) state->borrowed--;
  leave_behind(state, &run);
  if (run.is_pool_job && state->jobs > 0) state->jobs--;
  if (run.holds_queue) interlock_let_go(state, run.queue, 0);
}
