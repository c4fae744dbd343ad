// Steps of the model: blocks, groups and new threads, which several kinds of lines use.

#include "model_stepping.h"

interlock_operation *model_did(model_stepping *s, uint16_t kind, unsigned index) {
  interlock_operation *o = &s->step->operations[s->step->count++];
  *o = (interlock_operation){.kind = kind, .object = model_object(kind, index)};
  return o;
}

void model_returned(model_thread *thread, uint32_t value) {
  thread->last = value;
  thread->history = model_mix(thread->history, value + 1);
}

void model_make_slot(model_stepping *s, unsigned slot) {
  model_thread *made = &s->state->threads[slot];
  if (made->status != MODEL_ABSENT) return;
  made->status = MODEL_LIVE;
  s->step->made[s->step->made_count++] = (uint8_t)slot;
}

void model_enqueue(model_stepping *s, unsigned slot) {
  const model_slot *block = &s->program->slots[slot];
  model_queue *queue = &s->state->queues[block->queue];
  if (s->state->threads[slot].status != MODEL_ABSENT) return;
  model_did(s, K(ENQUEUE), block->queue);
  queue->blocks[queue->count++] =
      (model_queued){.slot = (uint8_t)slot, .is_barrier = block->is_barrier};
  model_make_slot(s, slot);
}

void model_finish(model_stepping *s, unsigned queue, bool is_barrier) {
  interlock_operation *o = model_did(s, K(FINISH), queue);
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

void model_begin_block(model_stepping *s, unsigned queue) {
  model_queue *q = &s->state->queues[queue];
  for (unsigned i = 0; i < q->count; i++) {
    model_queued *block = &q->blocks[i];
    if (block->slot == s->slot && !block->begun) {
      block->begun = true;
      return;
    }
  }
}

bool model_has_notifications(const model_state *state, unsigned group) {
  return state->notifications[group][0];
}

void model_leave(model_stepping *s, unsigned group) {
  interlock_operation *o = model_did(s, K(GROUP_LEAVE), group);
  if (!model_has_notifications(s->state, group)) o->flags = model_unnotified;
  if (--s->state->members[group]) return;
  uint8_t *notifications = s->state->notifications[group];
  for (unsigned i = 0; i < MODEL_SLOTS && notifications[i]; i++) {
    model_enqueue(s, notifications[i] - 1u);
    notifications[i] = 0;
  }
}
