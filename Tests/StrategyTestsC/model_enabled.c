// The next operation of each thread of the model, and whether the thread is enabled.

#include "model.h"

#define K(name) INTERLOCK_OPERATION_##name

// Each group of kinds has its own family of objects.
uint32_t model_object(uint16_t kind, unsigned index) {
  unsigned family;
  if (kind <= K(JOIN)) {
    family = 0;
  } else if (kind <= K(UNLOCK_SHARED)) {
    family = 1;
  } else if (kind <= K(BROADCAST)) {
    family = 2;
  } else if (kind <= K(SEMAPHORE_SIGNAL)) {
    family = 3;
  } else if (kind == K(BARRIER_WAIT)) {
    family = 4;
  } else if (kind <= K(GROUP_NOTIFY)) {
    family = 5;
  } else if (kind <= K(RESUME)) {
    family = 6;
  } else if (kind <= K(TEST_ITEM)) {
    family = 7;
  } else if (kind <= K(GIVE_WORKER)) {
    family = 8;
  } else if (kind <= K(TEST_CANCEL)) {
    family = 9;
  } else if (kind <= K(CONTINUATION_RESUME)) {
    family = 10;
  } else if (kind <= K(SECTION_WRITE_END)) {
    family = 12;
  } else if (kind == K(SYNC_POINT)) {
    return 2 + 13 * MODEL_SLOTS;
  } else if (kind <= K(READ_WRITE)) {
    family = 11;
  } else {
    return 1;
  }
  return 2 + family * MODEL_SLOTS + index;
}

static model_queued *block_of(const model_queue *queue, unsigned slot, bool begun) {
  for (unsigned i = 0; i < queue->count; i++) {
    const model_queued *block = &queue->blocks[i];
    if (block->slot == slot && block->begun == begun && !block->finished) {
      return (model_queued *)block;
    }
  }
  return NULL;
}

static bool needs_no_signal(const model_program *program, const model_thread *thread,
                            unsigned condition) {
  return program->wakes_without_signal && !(thread->woken_without_signal >> condition & 1);
}

interlock_operation model_pending(const model_program *program, const model_state *state,
                                  unsigned slot) {
  const model_thread *thread = &state->threads[slot];
  const model_slot *s = &program->slots[slot];
  if (thread->status != MODEL_LIVE) return (interlock_operation){0};
  if (!thread->has_begun) {
    if (s->role == MODEL_BLOCK) {
      unsigned pool = program->pool[s->queue];
      uint16_t flags = program->is_concurrent[s->queue] && !s->is_barrier
                           ? INTERLOCK_OPERATION_CONCURRENT
                           : 0;
      return (interlock_operation){.kind = s->is_barrier ? K(BEGIN_BARRIER) : K(BEGIN),
                                   .flags = flags,
                                   .object = model_object(K(BEGIN), s->queue),
                                   .other = pool ? model_object(K(TAKE_WORKER), pool - 1) : 0};
    }
    if (s->role == MODEL_TIMER) {
      return (interlock_operation){
          .kind = K(TIME_UP),
          .flags = INTERLOCK_OPERATION_TIME_IS_A_CHOICE,
          .object = 1,
          // The semaphore of the wait that the timer ends, or none.
          .other = s->wakes ? model_object(K(SEMAPHORE_WAIT), s->queue) : 0};
    }
    return (interlock_operation){.kind = K(START), .object = model_object(K(START), slot)};
  }
  const model_line *line = &s->lines[thread->line];
  interlock_operation o = {.kind = line->kind, .object = model_object(line->kind, line->object)};
  switch (line->kind) {
    case K(WAIT):
      o.other = model_object(K(LOCK), line->argument);
      if (thread->is_second_half) {
        o = (interlock_operation){K(LOCK), 0, model_object(K(LOCK), line->argument),
                                  model_object(K(WAIT), line->object)};
        if (needs_no_signal(program, thread, line->object)) {
          o.flags = INTERLOCK_OPERATION_NEEDS_NO_SIGNAL;
        }
      }
      break;
    case K(BARRIER_WAIT):
      if (thread->is_second_half) o.flags = INTERLOCK_OPERATION_LEAVES_BARRIER;
      break;
    case K(SEMAPHORE_WAIT):
      if (line->flags & MODEL_TIMED) o.flags = INTERLOCK_OPERATION_TIMED;
      break;
    case K(BEGIN):
      if (program->is_concurrent[line->object]) o.flags = INTERLOCK_OPERATION_CONCURRENT;
      break;
    case K(READ_CLOCK):
      o.object = 1;
      break;
    case K(START):
    case K(YIELD):
      o.object = 0;
      break;
    default:
      break;
  }
  return o;
}

static bool may_begin(const model_program *program, const model_state *state, unsigned queue,
                      unsigned slot, bool is_barrier) {
  const model_queue *q = &state->queues[queue];
  const model_queued *own = block_of(q, slot, false);
  if (!own || q->suspensions) return false;
  bool together = program->is_concurrent[queue] && !is_barrier;
  for (const model_queued *block = q->blocks; block != own; block++) {
    if (!block->finished && (!together || block->is_barrier)) return false;
  }
  return true;
}

bool model_is_enabled(const model_program *program, const model_state *state, unsigned slot) {
  const model_thread *thread = &state->threads[slot];
  const model_slot *s = &program->slots[slot];
  if (thread->status != MODEL_LIVE) return false;
  if (!thread->has_begun) {
    if (s->role != MODEL_BLOCK) return true;
    unsigned pool = program->pool[s->queue];
    if (pool && !state->free_workers[pool - 1]) return false;
    return may_begin(program, state, s->queue, slot, s->is_barrier);
  }
  const model_line *line = &s->lines[thread->line];
  unsigned object = line->object;
  switch (line->kind) {
    case K(LOCK):
      return !state->owner[object] && !state->readers[object];
    case K(LOCK_SHARED):
      return !state->owner[object];
    case K(WAIT):
      if (!thread->is_second_half) return true;
      return (thread->is_woken || needs_no_signal(program, thread, object)) &&
             !state->owner[line->argument] && !state->readers[line->argument];
    case K(BARRIER_WAIT):
      return !thread->is_second_half || thread->is_open;
    case K(SEMAPHORE_WAIT):
      return state->semaphores[object] || thread->is_timed_out;
    case K(GROUP_WAIT):
      return !state->members[object];
    case K(BEGIN):
      return may_begin(program, state, object, slot, false);
    case K(JOIN):
      return state->threads[object].status == MODEL_ENDED;
    case K(AWAIT):
      return state->task_complete >> object & 1;
    case K(CONTINUATION_WAIT):
      return state->resumed >> object & 1;
    default:
      return true;
  }
}
