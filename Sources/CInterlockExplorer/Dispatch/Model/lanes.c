// Moves entries from queue to queue, up to a root's pool, and decides when they may begin.
#include "entries.h"

#ifdef INTERLOCK_INTERPOSES

static void advance(model_queue *queue);

static void set_may_begin(model_entry *entry, bool may_begin) {
  entry->may_begin = may_begin;
  if (entry->thread) interlock_announce(entry->thread);
}

/// Lets an entry begin, because every queue above lets it through. For a lane, lets the first entry
/// of the lane's queue begin.
static void let_begin(model_entry *entry) {
  while (entry->kind == ENTRY_LANE) {
    model_queue *lane = entry->queue;
    lane->is_open = true;
    lane->is_open_by_sync = false;
    entry = lane->first;
  }
  set_may_begin(entry, true);
}

/// Withdraws `let_begin` from an entry that has not begun.
static void hold_back(model_entry *entry) {
  while (entry->kind == ENTRY_LANE) {
    entry->queue->is_open = false;
    entry = entry->queue->first;
  }
  set_may_begin(entry, false);
}

/// Lets entries of a root into the window as long as there are free workers.
static void widen(model_queue *root) {
  while (root->behind_window && root->window < root->width - root->running) {
    model_entry *entry = root->behind_window;
    root->behind_window = entry->next;
    root->window++;
    entry->in_window = true;
    let_begin(entry);
  }
}

/// Declares that an entry comes to a queue to which it was not submitted.
static void did_pass_on(const model_queue *queue) {
  interlock_operation enqueue = interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number,
                                                       0);
  enqueue.flags = INTERLOCK_OPERATION_PASSED_ON;
  interlock_did(enqueue);
}

static void put_at_root(model_queue *root, model_entry *entry) {
  append(root, entry);
  if (!root->behind_window) root->behind_window = entry;
  if (interlock_model_pools_matter()) {
    if (entry->kind == ENTRY_LANE) {
      did_pass_on(root);
    } else {
      interlock_did(interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, root->number, 0));
    }
  }
  widen(root);
}

/// Moves an entry that its queue has let through to the next queue. An entry that a thread runs by
/// itself needs no worker.
static void pass_on(model_entry *entry, model_queue *target) {
  if (target->kind != QUEUE_ROOT) {
    // The submission to the entry's own queue is declared by the code that hands the entry over.
    if (entry->queue != target && interlock_model_order_matters(target)) did_pass_on(target);
    append(target, entry);
    advance(target);
  } else if (entry->kind == ENTRY_SYNC) {
    entry->in = target;
    set_may_begin(entry, true);
  } else {
    put_at_root(target, entry);
  }
}

static void advance_serial(model_queue *queue) {
  if (queue->is_open || queue->is_posted || queue->suspensions || !queue->first) return;
  if (queue->next_target) {
    queue->target = queue->next_target;
    queue->next_target = NULL;
  }
  if (queue->first->kind == ENTRY_SYNC) {
    model_entry *entry = queue->first;
    unlink_entry(entry);
    queue->is_open = queue->is_open_by_sync = true;
    queue->owner = entry->thread;
    pass_on(entry, queue->target);
    return;
  }
  queue->is_posted = true;
  queue->lane = (model_entry){.kind = ENTRY_LANE, .queue = queue, .through = queue->target};
  pass_on(&queue->lane, queue->target);
}

static void advance_concurrent(model_queue *queue) {
  while (queue->first && !queue->suspensions && !queue->has_barrier) {
    model_entry *entry = queue->first;
    bool waits_for_target = queue->next_target && queue->running > 0;
    uint32_t room = entry->is_barrier ? 1 : queue->width;
    if (waits_for_target || queue->running >= room) return;
    if (queue->next_target) queue->target = queue->next_target;
    queue->next_target = NULL;
    unlink_entry(entry);
    queue->running++;
    queue->has_barrier = entry->is_barrier;
    pass_on(entry, queue->target);
  }
}

static void advance(model_queue *queue) {
  if (queue->kind == QUEUE_SERIAL) {
    advance_serial(queue);
  } else {
    advance_concurrent(queue);
  }
}

void interlock_model_put(model_queue *queue, model_entry *entry) {
  entry->queue = entry->through = queue;
  pass_on(entry, queue);
}

/// Stands for the owner of an open queue between two blocks of the queue.
static interlock_logical_thread between_blocks;

static void set_owners(model_entry *entry, interlock_logical_thread *owner) {
  for (; entry->in->kind != QUEUE_ROOT; entry = &entry->in->lane) entry->in->owner = owner;
}

void interlock_model_begin(model_entry *entry) {
  if (entry->is_barrier && entry->queue->kind == QUEUE_CONCURRENT) {
    entry->queue->owner = interlock_current_thread();
  }
  if (entry->kind == ENTRY_SYNC) {
    entry->has_begun = true;
    return;
  }
  set_owners(entry, interlock_current_thread());
  // A worker takes a queue from the queue's target once, with the queue's first block.
  for (model_entry *at = entry; !at->has_begun; at = &at->in->lane) {
    unlink_entry(at);
    at->has_begun = true;
    if (at->in->kind != QUEUE_ROOT) continue;
    at->in_window = false;
    at->in->window--;
    at->in->running++;
    return;
  }
}

static void give_worker(model_queue *root) {
  uint32_t free = root->width - root->running--;
  if (interlock_model_pools_matter()) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_GIVE_WORKER, root->number, free + 1));
  }
  widen(root);
}

static void give_back(model_queue *queue, bool is_barrier) {
  if (queue->kind == QUEUE_SERIAL) {
    queue->is_open = queue->is_open_by_sync = false;
    queue->owner = NULL;
  } else {
    queue->running--;
    if (is_barrier) {
      queue->has_barrier = false;
      queue->owner = NULL;
    }
  }
  advance(queue);
}

/// Gives back the queues that an entry has passed, except the queue in whose list the entry was
/// when it began.
static void leave_passed(model_entry *entry) {
  model_queue *end = entry->in;
  for (model_queue *queue = entry->through; queue && queue != end;) {
    model_queue *target = queue->target;
    give_back(queue, entry->is_barrier && queue == entry->queue);
    queue = target;
  }
}

static void complete(model_entry *entry);

/// Called when the first entry of an open serial queue is done or withdrawn. The queue's worker
/// continues with the next entry, or leaves the queue.
static void go_on(model_queue *queue) {
  queue->owner = NULL;
  if (queue->first && queue->first->kind != ENTRY_SYNC && !queue->suspensions &&
      !queue->next_target) {
    let_begin(queue->first);
    return;
  }
  queue->is_open = queue->is_posted = false;
  complete(&queue->lane);
  advance(queue);
}

/// Ends an entry that a worker runs, or was to run.
static void complete(model_entry *entry) {
  model_queue *in = entry->in;
  leave_passed(entry);
  if (in->kind != QUEUE_ROOT) {
    go_on(in);
  } else if (entry->has_begun) {
    give_worker(in);
  } else if (entry->in_window) {
    unlink_entry(entry);
    entry->in_window = false;
    in->window--;
    widen(in);
  } else {
    if (in->behind_window == entry) in->behind_window = entry->next;
    unlink_entry(entry);
  }
}

void interlock_model_finish(model_entry *entry) {
  if (entry->kind == ENTRY_SYNC) {
    leave_passed(entry);
  } else {
    set_owners(entry, &between_blocks);
    complete(entry);
  }
}

/// Withdraws a serial queue's lane from its target, unless a block of the queue runs.
static void withdraw(model_queue *queue) {
  if (!queue->is_posted || queue->owner || queue->is_open_by_sync) return;
  model_entry *lane = &queue->lane;
  if (queue->is_open) hold_back(lane);
  queue->is_posted = queue->is_open = false;
  model_queue *in = lane->in;
  if (in->kind == QUEUE_ROOT || lane->has_begun) {
    complete(lane);
    return;
  }
  bool was_let = in->first == lane && in->is_open && !in->owner;
  unlink_entry(lane);
  leave_passed(lane);
  if (was_let) {
    go_on(in);
  } else if (!in->first && !in->is_open) {
    withdraw(in);
  }
}

void interlock_model_suspend(model_queue *queue) {
  queue->suspensions++;
  // A block that runs is not withdrawn: the queue stops after that block.
  if (queue->kind == QUEUE_SERIAL) withdraw(queue);
}

void interlock_model_over_resume(void) {
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE,
                           "an object is resumed more often than it was suspended: "
                           "libdispatch traps");
  interlock_execution_abandon();
}

void interlock_model_resume(model_queue *queue) {
  // An inactive queue has a suspension that only its activation ends.
  if (queue->suspensions == queue->is_inactive) {
    // The model does not know how often a queue was suspended before the execution.
    if (!queue->is_of_execution) return;
    interlock_model_over_resume();
  }
  if (--queue->suspensions > 0) return;
  if (queue->kind != QUEUE_ROOT) advance(queue);
}

void interlock_model_set_target(model_queue *queue, model_queue *target) {
  if (queue->kind == QUEUE_ROOT || queue == target) return;
  if (queue->kind == QUEUE_SERIAL) withdraw(queue);
  queue->next_target = target;
  bool is_idle = queue->kind == QUEUE_SERIAL ? !queue->is_open : queue->running == 0;
  if (is_idle) {
    queue->target = target;
    queue->next_target = NULL;
  }
  advance(queue);
}

const model_queue *interlock_model_trap(model_queue *queue,
                                        const interlock_logical_thread *thread) {
  for (; queue && queue->kind != QUEUE_ROOT; queue = queue->target) {
    bool is_taken = queue->kind == QUEUE_SERIAL ? queue->is_open : queue->has_barrier;
    if (is_taken && queue->owner == thread) return queue;
  }
  return NULL;
}

#endif
