// The calls on a strategy as words: each begins with its kind. Of the pending operations, only
// those that have changed since the call before are written.
#include "strategy_log.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <string.h>

enum { call_choose = 1, call_pick, call_performed, call_end };

/// The pending operations as the last call had them, in either process.
typedef struct {
  interlock_operation *items;
  size_t count, room;
} pending_list;

static bool reserve(pending_list *list, size_t count) {
  if (count > list->room) {
    interlock_operation *grown = realloc(list->items, 2 * count * sizeof *grown);
    if (!grown) return false;
    list->items = grown;
    list->room = 2 * count;
  }
  return true;
}

// In the child.

static struct {
  interlock_strategy strategy;
  interlock_strategy *inner;
  interlock_strategy_log *log;
  bool has_begun;
  pending_list pending;
} logged;

static void put(uint32_t word) {
  interlock_strategy_log *log = logged.log;
  if (log->count == INTERLOCK_LOG_WORDS) {
    log->is_full = true;
  } else {
    log->words[log->count++] = word;
  }
}

static void put_operation(const interlock_operation *operation) {
  put(operation->kind | (uint32_t)operation->flags << 16);
  put(operation->object);
  put(operation->other);
}

static void put_state(const interlock_exploration_state *state) {
  pending_list *last = &logged.pending;
  if (!reserve(last, state->threads)) {
    logged.log->is_full = true;
    return;
  }
  put(state->threads);
  put((uint32_t)state->current);
  for (uint32_t thread = 0; thread < state->threads; thread++) {
    const interlock_operation *operation = &state->pending[thread];
    bool is_known = thread < last->count;
    if (is_known && memcmp(operation, &last->items[thread], sizeof *operation) == 0) continue;
    put(thread);
    put_operation(operation);
    last->items[thread] = *operation;
  }
  last->count = state->threads;
  put(UINT32_MAX);
  put(state->enabled_count);
  for (uint32_t index = 0; index < state->enabled_count; index++) put(state->enabled[index]);
}

static bool begin(interlock_strategy *self) {
  (void)self;
  bool is_first = !logged.has_begun;
  logged.has_begun = true;
  return is_first;
}

static int32_t choose(interlock_strategy *self, const interlock_exploration_state *state) {
  (void)self;
  int32_t chosen = logged.inner->choose(logged.inner, state);
  put(call_choose);
  put_state(state);
  put((uint32_t)chosen);
  return chosen;
}

static uint32_t pick(interlock_strategy *self, uint32_t count) {
  (void)self;
  uint32_t picked = logged.inner->pick(logged.inner, count);
  put(call_pick);
  put(count);
  put(picked);
  return picked;
}

static void performed(interlock_strategy *self, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  (void)self;
  logged.inner->performed(logged.inner, thread, operations, count);
  put(call_performed);
  put(thread);
  put((uint32_t)count);
  for (size_t index = 0; index < count; index++) put_operation(&operations[index]);
}

static void end(interlock_strategy *self, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)self;
  logged.inner->end(logged.inner, end, last);
  logged.log->end = end;
  logged.log->has_ended = true;
  put(call_end);
  put_state(last);
  put(end);
}

static bool is_complete(const interlock_strategy *self) {
  (void)self;
  return false;
}

static void destroy(interlock_strategy *self) { (void)self; }

interlock_strategy *interlock_strategy_logged(interlock_strategy *inner,
                                              interlock_strategy_log *log) {
  logged.strategy = (interlock_strategy){.name = inner->name, .begin = begin, .choose = choose,
                                         .pick = pick, .performed = performed, .end = end,
                                         .is_complete = is_complete, .destroy = destroy};
  logged.inner = inner;
  logged.log = log;
  logged.has_begun = false;
  logged.pending.count = 0;
  return &logged.strategy;
}

// In the parent.

typedef struct {
  const uint32_t *next;
  pending_list pending;
} reader;

static interlock_operation take_operation(reader *reader) {
  const uint32_t *words = reader->next;
  reader->next += 3;
  return (interlock_operation){.kind = (uint16_t)words[0],
                               .flags = (uint16_t)(words[0] >> 16),
                               .object = words[1],
                               .other = words[2]};
}

static bool take_state(reader *reader, interlock_exploration_state *state) {
  state->threads = *reader->next++;
  state->current = (int32_t)*reader->next++;
  if (!reserve(&reader->pending, state->threads)) return false;
  while (*reader->next != UINT32_MAX) {
    uint32_t thread = *reader->next++;
    reader->pending.items[thread] = take_operation(reader);
  }
  reader->next++;
  state->pending = reader->pending.items;
  state->enabled_count = *reader->next++;
  state->enabled = reader->next;
  reader->next += state->enabled_count;
  return true;
}

static bool follow_performed(interlock_strategy *strategy, reader *reader) {
  uint32_t thread = *reader->next++, count = *reader->next++;
  interlock_operation *operations = malloc((count ? count : 1) * sizeof *operations);
  if (!operations) return false;
  for (uint32_t index = 0; index < count; index++) operations[index] = take_operation(reader);
  strategy->performed(strategy, thread, operations, count);
  free(operations);
  return true;
}

static bool follow_call(interlock_strategy *strategy, reader *reader) {
  interlock_exploration_state state;
  switch (*reader->next++) {
    case call_choose:
      if (!take_state(reader, &state)) return false;
      return strategy->choose(strategy, &state) == (int32_t)*reader->next++;
    case call_pick: {
      uint32_t count = *reader->next++;
      return strategy->pick(strategy, count) == *reader->next++;
    }
    case call_performed: return follow_performed(strategy, reader);
    default:
      if (!take_state(reader, &state)) return false;
      strategy->end(strategy, (interlock_execution_end)*reader->next++, &state);
      return true;
  }
}

bool interlock_strategy_follow(interlock_strategy *strategy, const interlock_strategy_log *log) {
  if (log->is_full) return false;
  reader reader = {.next = log->words};
  bool follows = true;
  while (follows && reader.next < log->words + log->count) {
    follows = follow_call(strategy, &reader);
  }
  free(reader.pending.items);
  return follows;
}

#endif
