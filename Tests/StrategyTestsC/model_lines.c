// Steps of the model: the lines for queues, groups, tasks, memory and the clock.

#include "model_stepping.h"

static void on_group(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  unsigned group = line->object;
  switch (line->kind) {
    case K(GROUP_LEAVE):
      state->threads[s->slot].entered[group]--;
      model_leave(s, group);
      break;
    case K(GROUP_ENTER): {
      interlock_operation *o = model_did(s, line->kind, group);
      if (!model_has_notifications(state, group)) o->flags = model_unnotified;
      state->members[group]++;
      // With a block or task in `argument`, that one leaves the group at its end.
      unsigned other = line->argument;
      if (!other) state->threads[s->slot].entered[group]++;
      break;
    }
    case K(GROUP_NOTIFY): {
      model_did(s, line->kind, group);
      if (!state->members[group]) {
        model_enqueue(s, line->argument);
        break;
      }
      uint8_t *place = state->notifications[group];
      while (*place) place++;
      *place = (uint8_t)(line->argument + 1);
      break;
    }
    default:
      model_did(s, line->kind, group);
  }
}

static void on_queue(model_stepping *s, const model_line *line) {
  model_queue *queue = &s->state->queues[line->object];
  switch (line->kind) {
    case K(ENQUEUE):
      if (line->flags & MODEL_SYNC) {
        model_did(s, K(ENQUEUE), line->object);
        queue->blocks[queue->count++] = (model_queued){.slot = (uint8_t)s->slot};
      } else {
        model_enqueue(s, line->argument);
      }
      break;
    case K(BEGIN): {
      interlock_operation *o = model_did(s, K(BEGIN), line->object);
      if (s->program->is_concurrent[line->object]) o->flags = INTERLOCK_OPERATION_CONCURRENT;
      model_begin_block(s, line->object);
      break;
    }
    case K(FINISH):
      model_finish(s, line->object, false);
      break;
    case K(SUSPEND):
      model_did(s, K(SUSPEND), line->object);
      queue->suspensions++;
      break;
    default:
      model_did(s, K(RESUME), line->object);
      if (queue->suspensions) {
        queue->suspensions--;
      } else {
        s->state->trapped |= 1;
        model_returned(&s->state->threads[s->slot], 77);
      }
  }
}

static void on_task(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  uint8_t bit = (uint8_t)(1u << line->object);
  model_did(s, line->kind, line->object);
  switch (line->kind) {
    case K(CANCEL):
      state->task_cancelled |= bit;
      break;
    case K(TEST_CANCEL):
      model_returned(&state->threads[s->slot], (state->task_cancelled & bit) != 0);
      break;
    case K(CANCEL_ITEM):
      state->item_cancelled |= bit;
      break;
    case K(TEST_ITEM):
      model_returned(&state->threads[s->slot], (state->item_cancelled & bit) != 0);
      break;
    case K(CONTINUATION_RESUME):
      if (state->resumed & bit) {
        state->trapped |= 2;
        model_returned(&state->threads[s->slot], 78);
      }
      state->resumed |= bit;
      break;
    default:
      break;
  }
}

static void on_memory(model_stepping *s, const model_line *line) {
  model_thread *thread = &s->state->threads[s->slot];
  uint32_t *variable = &s->state->variables[line->object];
  model_did(s, line->kind, line->object);
  if (line->kind == K(READ)) {
    model_returned(thread, *variable);
  } else if (line->kind == K(WRITE)) {
    *variable = line->argument ? line->argument : thread->last + 1;
  } else {
    model_returned(thread, *variable);
    *variable = *variable * 3 + line->argument + 1;
  }
}

// The begin of a section returns the number of other threads' sections that it conflicts with.
static void on_section(model_stepping *s, const model_line *line) {
  model_thread *thread = &s->state->threads[s->slot];
  model_did(s, line->kind, line->object);
  unsigned others_write = 0, others_read = 0;
  for (unsigned slot = 0; slot < MODEL_SLOTS; slot++) {
    if (slot == s->slot) continue;
    others_write += s->state->threads[slot].writes_section[line->object];
    others_read += s->state->threads[slot].reads_section[line->object];
  }
  switch (line->kind) {
    case K(SECTION_READ):
      thread->reads_section[line->object]++;
      model_returned(thread, others_write);
      break;
    case K(SECTION_WRITE):
      thread->writes_section[line->object]++;
      model_returned(thread, others_write + others_read);
      break;
    case K(SECTION_READ_END):
      thread->reads_section[line->object]--;
      break;
    default:
      thread->writes_section[line->object]--;
      break;
  }
}

void model_perform(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  uint16_t kind = line->kind;
  if (kind >= K(LOCK) && kind <= K(UNLOCK_SHARED)) {
    model_on_lock(s, line);
  } else if (kind >= K(WAIT) && kind <= K(BROADCAST)) {
    model_on_condition(s, line);
  } else if (kind >= K(SEMAPHORE_WAIT) && kind <= K(SEMAPHORE_SIGNAL)) {
    model_on_semaphore(s, line);
  } else if (kind == K(BARRIER_WAIT)) {
    model_on_barrier(s, line);
  } else if (kind >= K(GROUP_ENTER) && kind <= K(GROUP_NOTIFY)) {
    on_group(s, line);
  } else if (kind >= K(ENQUEUE) && kind <= K(RESUME)) {
    on_queue(s, line);
  } else if (kind >= K(CANCEL_ITEM) && kind <= K(TEST_ITEM)) {
    on_task(s, line);
  } else if (kind >= K(AWAIT) && kind <= K(CONTINUATION_RESUME)) {
    on_task(s, line);
  } else if (kind >= K(SECTION_READ) && kind <= K(SECTION_WRITE_END)) {
    on_section(s, line);
  } else if (kind == K(SYNC_POINT)) {
    model_did(s, kind, 0);
    // The access between sync points, which no operation shows.
    model_returned(&s->state->threads[s->slot], s->state->unseen);
    s->state->unseen = s->state->unseen * 3 + s->slot + 1;
  } else if (kind >= K(READ) && kind <= K(READ_WRITE)) {
    on_memory(s, line);
  } else if (kind == K(READ_CLOCK)) {
    model_did(s, kind, 0);
    if (line->flags & MODEL_MAKES) {
      if (state->threads[line->argument].status == MODEL_ABSENT) {
        state->due[line->argument] =
            (uint8_t)(state->now + s->program->slots[line->argument].delay);
      }
      model_make_slot(s, line->argument);
    } else {
      model_returned(&state->threads[s->slot], state->now);
    }
  } else if (kind == K(START)) {
    model_did(s, kind, s->slot)->object = 0;
    model_make_slot(s, line->argument);
  } else if (kind == K(JOIN)) {
    model_did(s, kind, line->object);
  } else {
    model_did(s, kind, 0)->object = 0;
  }
}
