// What a step of the model does.

#include "model.h"

#include <string.h>

#define K(name) INTERLOCK_OPERATION_##name

typedef struct {
  const model_program *program;
  model_state *state;
  unsigned slot;
  model_picker *picker;
  void *context;
  model_step *step;
} stepping;

static interlock_operation *did(stepping *s, uint16_t kind, unsigned index) {
  interlock_operation *o = &s->step->operations[s->step->count++];
  *o = (interlock_operation){.kind = kind, .object = model_object(kind, index)};
  return o;
}

static void returned(model_thread *thread, uint32_t value) {
  thread->last = value;
  thread->history = model_mix(thread->history, value + 1);
}

static void make(stepping *s, unsigned slot) {
  model_thread *made = &s->state->threads[slot];
  if (made->status != MODEL_ABSENT) return;
  made->status = MODEL_LIVE;
  s->step->made[s->step->made_count++] = (uint8_t)slot;
}

static void enqueue(stepping *s, unsigned slot) {
  const model_slot *block = &s->program->slots[slot];
  model_queue *queue = &s->state->queues[block->queue];
  if (s->state->threads[slot].status != MODEL_ABSENT) return;
  did(s, K(ENQUEUE), block->queue);
  queue->blocks[queue->count++] =
      (model_queued){.slot = (uint8_t)slot, .is_barrier = block->is_barrier};
  make(s, slot);
}

static void finish(stepping *s, unsigned queue, bool is_barrier) {
  interlock_operation *o = did(s, K(FINISH), queue);
  if (s->program->is_concurrent[queue] && !is_barrier) o->flags = INTERLOCK_OPERATION_CONCURRENT;
  model_queue *q = &s->state->queues[queue];
  for (unsigned i = 0; i < q->count; i++) {
    model_queued *block = &q->blocks[i];
    if (block->slot == s->slot && block->begun && !block->finished) {
      block->finished = true;
      return;
    }
  }
}

static void begin_block(stepping *s, unsigned queue) {
  model_queue *q = &s->state->queues[queue];
  for (unsigned i = 0; i < q->count; i++) {
    model_queued *block = &q->blocks[i];
    if (block->slot == s->slot && !block->begun) {
      block->begun = true;
      return;
    }
  }
}

static bool has_notifications(const model_state *state, unsigned group) {
  return state->notifications[group][0];
}

static void leave(stepping *s, unsigned group) {
  interlock_operation *o = did(s, K(GROUP_LEAVE), group);
  if (!has_notifications(s->state, group)) o->flags = INTERLOCK_OPERATION_NO_NOTIFICATION;
  if (--s->state->members[group]) return;
  uint8_t *notifications = s->state->notifications[group];
  for (unsigned i = 0; i < MODEL_SLOTS && notifications[i]; i++) {
    enqueue(s, notifications[i] - 1u);
    notifications[i] = 0;
  }
}

static void end(stepping *s) {
  model_thread *thread = &s->state->threads[s->slot];
  const model_slot *slot = &s->program->slots[s->slot];
  thread->status = MODEL_ENDED;
  if (slot->group) leave(s, slot->group - 1u);
  if (slot->role == MODEL_BLOCK) {
    finish(s, slot->queue, slot->is_barrier);
    unsigned pool = s->program->pool[slot->queue];
    if (pool) did(s, K(GIVE_WORKER), pool - 1)->other = s->state->free_workers[pool - 1]++ + 1u;
  } else if (slot->role == MODEL_TASK) {
    did(s, K(COMPLETE), s->slot);
    s->state->task_complete |= (uint8_t)(1u << s->slot);
  } else if (slot->role == MODEL_THREAD) {
    did(s, K(END), s->slot);
  }
}

static void wake(model_state *state, unsigned condition, unsigned index) {
  uint8_t *waiters = state->waiters[condition];
  state->threads[waiters[index] - 1].is_woken = true;
  memmove(waiters + index, waiters + index + 1, MODEL_SLOTS - 1 - index);
  waiters[MODEL_SLOTS - 1] = 0;
}

static void on_condition(stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *waiters = state->waiters[line->object];
  unsigned count = 0;
  while (count < MODEL_SLOTS && waiters[count]) count++;
  if (line->kind == K(WAIT)) {
    interlock_operation *o = did(s, thread->is_second_half ? K(LOCK) : K(WAIT), 0);
    o->object = model_object(o->kind, thread->is_second_half ? line->argument : line->object);
    o->other = thread->is_second_half ? model_object(K(WAIT), line->object)
                                      : model_object(K(LOCK), line->argument);
    if (thread->is_second_half) {
      state->owner[line->argument] = (uint8_t)(s->slot + 1);
      thread->is_woken = false;
    } else {
      state->owner[line->argument] = 0;
      waiters[count] = (uint8_t)(s->slot + 1);
    }
    thread->is_second_half = !thread->is_second_half;
    return;
  }
  interlock_operation *o = did(s, line->kind, line->object);
  if (line->kind == K(BROADCAST)) {
    while (waiters[0]) wake(state, line->object, 0);
  } else if (count) {
    uint32_t index = count > 1 ? s->picker(s->context, count) : 0;
    s->step->picks = s->step->picks * 9 + index + 1;
    // A number of the engine: the caller translates it.
    o->other = waiters[index];
    wake(state, line->object, index);
  }
}

static void on_barrier(stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  interlock_operation *o = did(s, K(BARRIER_WAIT), line->object);
  thread->is_second_half = !thread->is_second_half;
  if (!thread->is_second_half) {
    o->flags = INTERLOCK_OPERATION_LEAVES_BARRIER;
    thread->is_open = false;
    return;
  }
  bool is_last = ++state->arrived[line->object] == s->program->parties[line->object];
  returned(thread, is_last);
  if (!is_last) return;
  o->flags = INTERLOCK_OPERATION_ARRIVES_LAST;
  state->arrived[line->object] = 0;
  for (unsigned i = 0; i < MODEL_SLOTS; i++) {
    const model_thread *t = &state->threads[i];
    const model_line *at = &s->program->slots[i].lines[t->line];
    if (t->status == MODEL_LIVE && t->has_begun && t->is_second_half &&
        at->kind == K(BARRIER_WAIT) && at->object == line->object) {
      state->threads[i].is_open = true;
    }
  }
}

static void on_semaphore(stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *value = &state->semaphores[line->object];
  interlock_operation *o = did(s, line->kind, line->object);
  o->other = *value + 1u;
  if (line->kind == K(SEMAPHORE_SIGNAL)) {
    ++*value;
    return;
  }
  bool got = *value;
  *value -= got;
  if (!got) o->flags = INTERLOCK_OPERATION_FAILED;
  if (line->kind == K(SEMAPHORE_TRY) || line->flags & MODEL_TIMED) returned(thread, got);
  if (!(line->flags & MODEL_TIMED)) return;
  model_thread *timer = &state->threads[line->argument];
  thread->is_timed_out = false;
  if (timer->status != MODEL_LIVE || timer->has_begun) return;
  did(s, K(READ_CLOCK), 0);
  timer->status = MODEL_ENDED;
}

static void on_lock(stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *owner = &state->owner[line->object], *readers = &state->readers[line->object];
  interlock_operation *o = did(s, line->kind, line->object);
  bool is_free = !*owner && !*readers;
  switch (line->kind) {
    case K(LOCK):
      *owner = (uint8_t)(s->slot + 1);
      break;
    case K(TRY_LOCK):
      if (is_free) *owner = (uint8_t)(s->slot + 1);
      if (!is_free) o->flags = INTERLOCK_OPERATION_FAILED;
      returned(thread, is_free);
      break;
    case K(UNLOCK):
      *owner = 0;
      break;
    case K(LOCK_SHARED):
      ++*readers;
      thread->reads_lock[line->object]++;
      break;
    case K(TRY_LOCK_SHARED):
      if (*owner) o->flags = INTERLOCK_OPERATION_FAILED;
      if (!*owner) ++*readers, thread->reads_lock[line->object]++;
      returned(thread, !*owner);
      break;
    default:
      --*readers;
      thread->reads_lock[line->object]--;
  }
}

static void on_group(stepping *s, const model_line *line) {
  model_state *state = s->state;
  unsigned group = line->object;
  switch (line->kind) {
    case K(GROUP_LEAVE):
      state->threads[s->slot].entered[group]--;
      leave(s, group);
      break;
    case K(GROUP_ENTER): {
      interlock_operation *o = did(s, line->kind, group);
      if (!has_notifications(state, group)) o->flags = INTERLOCK_OPERATION_NO_NOTIFICATION;
      state->members[group]++;
      // A group entered for a block or a task is left at its end.
      unsigned other = line->argument;
      if (!other) state->threads[s->slot].entered[group]++;
      break;
    }
    case K(GROUP_NOTIFY): {
      did(s, line->kind, group);
      if (!state->members[group]) {
        enqueue(s, line->argument);
        break;
      }
      uint8_t *place = state->notifications[group];
      while (*place) place++;
      *place = (uint8_t)(line->argument + 1);
      break;
    }
    default:
      did(s, line->kind, group);
  }
}

static void on_queue(stepping *s, const model_line *line) {
  model_queue *queue = &s->state->queues[line->object];
  switch (line->kind) {
    case K(ENQUEUE):
      if (line->flags & MODEL_SYNC) {
        did(s, K(ENQUEUE), line->object);
        queue->blocks[queue->count++] = (model_queued){.slot = (uint8_t)s->slot};
      } else {
        enqueue(s, line->argument);
      }
      break;
    case K(BEGIN): {
      interlock_operation *o = did(s, K(BEGIN), line->object);
      if (s->program->is_concurrent[line->object]) o->flags = INTERLOCK_OPERATION_CONCURRENT;
      begin_block(s, line->object);
      break;
    }
    case K(FINISH):
      finish(s, line->object, false);
      break;
    case K(SUSPEND):
      did(s, K(SUSPEND), line->object);
      queue->suspensions++;
      break;
    default:
      did(s, K(RESUME), line->object);
      if (queue->suspensions) {
        queue->suspensions--;
      } else {
        s->state->trapped |= 1;
        returned(&s->state->threads[s->slot], 77);
      }
  }
}

static void on_task(stepping *s, const model_line *line) {
  model_state *state = s->state;
  uint8_t bit = (uint8_t)(1u << line->object);
  did(s, line->kind, line->object);
  switch (line->kind) {
    case K(CANCEL):
      state->task_cancelled |= bit;
      break;
    case K(TEST_CANCEL):
      returned(&state->threads[s->slot], (state->task_cancelled & bit) != 0);
      break;
    case K(CANCEL_ITEM):
      state->item_cancelled |= bit;
      break;
    case K(TEST_ITEM):
      returned(&state->threads[s->slot], (state->item_cancelled & bit) != 0);
      break;
    case K(CONTINUATION_RESUME):
      if (state->resumed & bit) {
        state->trapped |= 2;
        returned(&state->threads[s->slot], 78);
      }
      state->resumed |= bit;
      break;
    default:
      break;
  }
}

static void on_memory(stepping *s, const model_line *line) {
  model_thread *thread = &s->state->threads[s->slot];
  uint32_t *variable = &s->state->variables[line->object];
  did(s, line->kind, line->object);
  if (line->kind == K(READ)) {
    returned(thread, *variable);
  } else if (line->kind == K(WRITE)) {
    *variable = line->argument ? line->argument : thread->last + 1;
  } else {
    returned(thread, *variable);
    *variable = *variable * 3 + line->argument + 1;
  }
}

static void perform(stepping *s, const model_line *line) {
  model_state *state = s->state;
  uint16_t kind = line->kind;
  if (kind >= K(LOCK) && kind <= K(UNLOCK_SHARED)) {
    on_lock(s, line);
  } else if (kind >= K(WAIT) && kind <= K(BROADCAST)) {
    on_condition(s, line);
  } else if (kind >= K(SEMAPHORE_WAIT) && kind <= K(SEMAPHORE_SIGNAL)) {
    on_semaphore(s, line);
  } else if (kind == K(BARRIER_WAIT)) {
    on_barrier(s, line);
  } else if (kind >= K(GROUP_ENTER) && kind <= K(GROUP_NOTIFY)) {
    on_group(s, line);
  } else if (kind >= K(ENQUEUE) && kind <= K(RESUME)) {
    on_queue(s, line);
  } else if (kind >= K(CANCEL_ITEM) && kind <= K(TEST_ITEM)) {
    on_task(s, line);
  } else if (kind >= K(AWAIT) && kind <= K(CONTINUATION_RESUME)) {
    on_task(s, line);
  } else if (kind >= K(READ) && kind <= K(READ_WRITE)) {
    on_memory(s, line);
  } else if (kind == K(READ_CLOCK)) {
    did(s, kind, 0);
    if (line->flags & MODEL_MAKES) {
      if (state->threads[line->argument].status == MODEL_ABSENT) {
        state->due[line->argument] =
            (uint8_t)(state->now + s->program->slots[line->argument].delay);
      }
      make(s, line->argument);
    } else {
      returned(&state->threads[s->slot], state->now);
    }
  } else if (kind == K(START)) {
    did(s, kind, s->slot)->object = 0;
    make(s, line->argument);
  } else if (kind == K(JOIN)) {
    did(s, kind, line->object);
  } else {
    did(s, kind, 0)->object = 0;
  }
}

// A line that the thread leaves out: its condition does not hold, or what it gives up is not held.
static bool is_skipped(const model_state *state, unsigned slot, const model_line *line) {
  const model_thread *thread = &state->threads[slot];
  if (line->flags & MODEL_IF_ODD && !(thread->last & 1)) return true;
  if (line->flags & MODEL_IF_EVEN && thread->last & 1) return true;
  switch (line->kind) {
    case K(UNLOCK):
      return state->owner[line->object] != slot + 1;
    case K(UNLOCK_SHARED):
      return !thread->reads_lock[line->object];
    case K(WAIT):
      return state->owner[line->argument] != slot + 1;
    case K(GROUP_LEAVE):
      return !thread->entered[line->object];
    default:
      return false;
  }
}

static void begin(stepping *s) {
  const model_slot *slot = &s->program->slots[s->slot];
  model_state *state = s->state;
  state->threads[s->slot].has_begun = true;
  s->step->operations[s->step->count++] = (interlock_operation){0};
  interlock_operation *o = &s->step->operations[0];
  state->threads[s->slot].has_begun = false;
  *o = model_pending(s->program, state, s->slot);
  state->threads[s->slot].has_begun = true;
  if (slot->role == MODEL_BLOCK) {
    begin_block(s, slot->queue);
    unsigned pool = s->program->pool[slot->queue];
    if (pool) state->free_workers[pool - 1]--;
    if (slot->is_cancellable) {
      did(s, K(TEST_ITEM), s->slot);
      if (state->item_cancelled >> s->slot & 1) state->threads[s->slot].line = MODEL_OPERATIONS - 1;
    }
  } else if (slot->role == MODEL_TIMER) {
    state->now = state->due[s->slot];
    if (slot->wakes) state->threads[slot->wakes - 1].is_timed_out = true;
  }
}

void model_take_step(const model_program *program, model_state *state, unsigned slot,
                     model_picker *picker, void *context, model_step *step) {
  stepping s = {program, state, slot, picker, context, step};
  model_thread *thread = &state->threads[slot];
  step->count = 0;
  step->made_count = 0;
  step->picks = 0;
  if (!thread->has_begun) {
    begin(&s);
  } else {
    perform(&s, &program->slots[slot].lines[thread->line]);
    if (thread->is_second_half) return;
    thread->line++;
  }
  for (;; thread->line++) {
    const model_line *line = &program->slots[slot].lines[thread->line];
    if (!line->kind) {
      end(&s);
      return;
    }
    if (is_skipped(state, slot, line)) continue;
    if (!(line->flags & MODEL_SILENT)) return;
    perform(&s, line);
  }
}

void model_begin(const model_program *program, model_state *state) {
  memset(state, 0, sizeof *state);
  for (unsigned i = 0; i < MODEL_SLOTS; i++) {
    if (program->slots[i].is_root) state->threads[i].status = MODEL_LIVE;
  }
  memcpy(state->semaphores, program->semaphores, sizeof state->semaphores);
  memcpy(state->free_workers, program->width, sizeof state->free_workers);
}

uint64_t model_outcome(const model_state *state) {
  const uint8_t *bytes = (const uint8_t *)state;
  uint64_t hash = 1;
  for (size_t i = 0; i < sizeof *state; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}
