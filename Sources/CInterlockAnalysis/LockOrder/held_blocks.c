// The blocks that a thread runs. A thread that runs a block on a queue holds the queue.
#include "Graph/order_reader.h"


#include "interlock_runtime.h"

/// True if another thread that holds locks waits for this iteration.
static bool is_for_other(const thread_record *own, const interlock_event *event) {
  const interlock_application *call = event->other;
  return call && call->is_under_locks && call->caller != own;
}

/// Returns the group that the block leaves at its end, or the work item that it completes.
static uintptr_t ended_by(const interlock_event *event) {
  if (event->flags & INTERLOCK_FLAG_APPLY) return 0;
  return event->flags & INTERLOCK_FLAG_GROUP ? (uintptr_t)event->value : (uintptr_t)event->other;
}

void interlock_note_begin(thread_record *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object, target;
  bool is_part = event->flags & INTERLOCK_FLAG_APPLY;
  bool is_synchronous = event->item == NULL && !is_part;
  bool is_own = own->order.wait_kind == INTERLOCK_OBJECT_QUEUE && own->order.wait_object == queue;
  if (is_synchronous && is_own) interlock_end_wait(own, queue);
  own->order.wait_kind = 0;
  uint32_t width = interlock_queue_look(queue, &target);
  // A job on a wide queue is on the task pool's own queue, which is as wide as the pool and which
  // no thread calls synchronously.
  bool is_pool_job = (event->flags & INTERLOCK_FLAG_JOB) && width != 1;
  bool holds_queue = width != 0 && !is_pool_job;
  if (own->order.run_count < runs_most) {
    thread_run *run = &own->order.runs[own->order.run_count];
    *run = (thread_run){.queue = queue,
                        .number = is_synchronous ? 0 : interlock_next_number(),
                        .flags = event->flags,
                        .is_borrowed = is_part ? is_for_other(own, event)
                                               : is_synchronous && !is_own,
                        .ends = ended_by(event),
                        .is_pool_job = is_pool_job,
                        .holds_queue = holds_queue};
    if (run->is_borrowed && !is_part && interlock_adopt_caller(own, event->place)) {
      run->is_borrowed = false;
    }
    if (run->is_borrowed) own->order.borrowed++;
    if (is_pool_job) own->order.jobs++;
  }
  own->order.run_count++;
  if (!holds_queue) return;
  held_lock *known = interlock_find_held(own, queue);
  if (known && hold_again(known, HELD_IN_ORDER)) return;
  interlock_hold(own, (held_lock){.object = queue,
                                    .place = event->place,
                                    .counts = {[HELD_IN_ORDER] = 1},
                                    .kind = INTERLOCK_OBJECT_QUEUE,
                                    .is_shared = interlock_shares_queue(width, event->flags)});
}

/// Drops the locks that a block has acquired and not released: the thread's next block is another
/// owner.
static void leave_behind(thread_record *own, const thread_run *run) {
  for (uint32_t index = own->held.count; index-- > 0;) {
    held_lock lock = own->held.locks[index];
    if (!interlock_is_in_order(&lock)) continue;
    if (lock.run < own->order.run_count + 1 || lock.run == callers_run) continue;
    if (lock.kind == INTERLOCK_OBJECT_QUEUE) continue;
    if (run->number == 0) {
      // A synchronous block acts for its caller, which keeps the lock.
      own->held.locks[index].run = (uint16_t)own->order.run_count;
      continue;
    }
    interlock_drop(own, &own->held.locks[index]);
    if (lock.kind == INTERLOCK_OBJECT_SEMAPHORE) {
      interlock_semaphore_signalled(lock.object, false);
    } else if ((run->flags & INTERLOCK_FLAG_JOB) && !interlock_is_only_gate(&lock)) {
      interlock_note_incident(own, INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT, lock.kind, lock.object,
                              lock.place, lock.outer, 0, 0);
    } else if (!interlock_is_main_thread()) {
      // The main thread may unlock the lock in a later block. On a pool's thread, no later block
      // belongs to this one.
      interlock_note_left_lock(own, &lock, INTERLOCK_INCIDENT_LEFT_BY_BLOCK);
    }
  }
}

void interlock_note_end(thread_record *own, const interlock_event *event) {
  if (own->order.run_count == 0) return;
  own->order.run_count--;
  if (own->order.run_count >= runs_most) {
    interlock_let_go(own, (uintptr_t)event->object, 0);
    return;
  }
  // A copy: a signal handler may begin a block and overwrite the entry.
  thread_run run = own->order.runs[own->order.run_count];
  if (run.ends) {
    interlock_event end = *event;
    bool is_group = run.flags & INTERLOCK_FLAG_GROUP;
    end.object_kind = is_group ? INTERLOCK_OBJECT_GROUP : INTERLOCK_OBJECT_WORK_ITEM;
    end.object = (const void *)run.ends;
    interlock_note_signalled(own, &end, true);
  }
  if (own->order.adopted_run == own->order.run_count + 1) interlock_leave_caller(own);
  if (run.is_borrowed && own->order.borrowed > 0) own->order.borrowed--;
  leave_behind(own, &run);
  if (run.is_pool_job && own->order.jobs > 0) own->order.jobs--;
  if (run.holds_queue) interlock_let_go(own, run.queue, 0);
}
