#include "model_generator.h"

#define K(name) INTERLOCK_OPERATION_##name

typedef struct {
  uint64_t seed;
  model_program program;
  unsigned slots;
  /// The slot to which lines are added, and the index of its next line.
  unsigned slot, line;
} generator;

uint64_t model_random(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

static unsigned below(generator *g, unsigned limit) {
  return (unsigned)(model_random(&g->seed) >> 33) % limit;
}

static void add(generator *g, unsigned kind, unsigned object, unsigned argument, unsigned flags) {
  if (g->line + 3 >= MODEL_OPERATIONS) return;
  g->program.slots[g->slot].lines[g->line++] =
      (model_line){(uint8_t)kind, (uint8_t)object, (uint8_t)argument, (uint8_t)flags};
}

// Makes half of the operations that never block part of the previous step.
static unsigned maybe_silent(generator *g) { return g->line && below(g, 2) ? MODEL_SILENT : 0; }

static void access(generator *g, unsigned flags) {
  static const uint8_t kinds[] = {K(READ), K(WRITE), K(READ_WRITE)};
  add(g, kinds[below(g, 3)], below(g, 2), below(g, 3), flags | maybe_silent(g));
}

// Adds a slot for a block, task, thread or timer, and returns it; 0 if there is no room.
static unsigned new_slot(generator *g, model_role role) {
  if (g->slots == MODEL_SLOTS) return 0;
  unsigned slot = g->slots++;
  g->program.slots[slot].role = (uint8_t)role;
  unsigned old_slot = g->slot, old_line = g->line;
  g->slot = slot;
  g->line = 0;
  if (below(g, 3)) access(g, 0);
  if (below(g, 4) == 0) {
    add(g, K(LOCK), 0, 0, 0);
    access(g, 0);
    add(g, K(UNLOCK), 0, 0, maybe_silent(g));
  }
  if (role == MODEL_TASK && below(g, 2)) add(g, K(TEST_CANCEL), slot, 0, maybe_silent(g));
  if (below(g, 3) == 0) access(g, MODEL_IF_ODD);
  g->slot = old_slot;
  g->line = old_line;
  return slot;
}

static void with_lock(generator *g) {
  unsigned lock = below(g, 2), silent = maybe_silent(g);
  add(g, K(LOCK), lock, 0, 0);
  if (below(g, 4) == 0) {
    add(g, K(LOCK), !lock, 0, 0);
    access(g, 0);
    add(g, K(UNLOCK), !lock, 0, silent);
  }
  access(g, 0);
  add(g, K(UNLOCK), lock, 0, silent);
}

static void with_try(generator *g) {
  unsigned lock = below(g, 2);
  add(g, below(g, 4) ? K(TRY_LOCK) : K(LOCK), lock, 0, 0);
  access(g, MODEL_IF_ODD);
  if (below(g, 3) == 0) access(g, MODEL_IF_EVEN);
  add(g, K(UNLOCK), lock, 0, maybe_silent(g));
}

static void with_readers(generator *g) {
  static const uint8_t kinds[] = {K(LOCK), K(TRY_LOCK), K(LOCK_SHARED), K(TRY_LOCK_SHARED)};
  unsigned kind = kinds[below(g, 4)];
  add(g, kind, 0, 0, 0);
  access(g, 0);
  add(g, kind >= K(LOCK_SHARED) ? K(UNLOCK_SHARED) : K(UNLOCK), 0, 0, maybe_silent(g));
}

static void with_condition(generator *g) {
  // A signal need not hold the mutex. Without it, nothing else orders the signal with the wait.
  if (below(g, 4) == 0) {
    add(g, below(g, 2) ? K(SIGNAL) : K(BROADCAST), 0, 0, maybe_silent(g));
    return;
  }
  unsigned silent = maybe_silent(g);
  add(g, K(LOCK), 0, 0, 0);
  switch (below(g, 4)) {
    case 0:
      add(g, K(WAIT), 0, 0, 0);
      break;
    case 1:
      add(g, K(READ), 0, 0, MODEL_SILENT);
      add(g, K(WAIT), 0, 0, MODEL_IF_EVEN);
      break;
    default:
      add(g, K(WRITE), 0, 1, MODEL_SILENT);
      add(g, below(g, 3) ? K(SIGNAL) : K(BROADCAST), 0, 0, maybe_silent(g));
  }
  add(g, K(UNLOCK), 0, 0, silent);
}

static void with_semaphore(generator *g) {
  static const uint8_t kinds[] = {K(SEMAPHORE_WAIT), K(SEMAPHORE_TRY), K(SEMAPHORE_SIGNAL),
                                  K(SEMAPHORE_SIGNAL)};
  unsigned kind = kinds[below(g, 4)];
  add(g, kind, below(g, 3) == 0, 0, kind == K(SEMAPHORE_WAIT) ? 0 : maybe_silent(g));
  if (below(g, 2)) access(g, below(g, 2) ? MODEL_IF_ODD : 0);
}

static void with_timed_wait(generator *g) {
  if (below(g, 2)) {
    with_semaphore(g);
    return;
  }
  unsigned timer = new_slot(g, MODEL_TIMER);
  if (!timer) return;
  g->program.slots[timer].queue = 0;
  g->program.slots[timer].wakes = (uint8_t)(g->slot + 1);
  g->program.slots[timer].delay = (uint8_t)below(g, 3);
  add(g, K(READ_CLOCK), 0, timer, MODEL_MAKES);
  add(g, K(SEMAPHORE_WAIT), 0, timer, MODEL_TIMED);
}

static void with_group(generator *g) {
  switch (below(g, 5)) {
    case 0:
      add(g, K(GROUP_WAIT), 0, 0, 0);
      break;
    case 1: {
      unsigned block = new_slot(g, MODEL_BLOCK);
      if (block) add(g, K(GROUP_NOTIFY), 0, block, maybe_silent(g));
      break;
    }
    case 2: {
      unsigned block = new_slot(g, MODEL_BLOCK);
      if (!block) break;
      g->program.slots[block].group = 1;
      add(g, K(GROUP_ENTER), 0, 1, maybe_silent(g));
      add(g, K(ENQUEUE), 0, block, MODEL_SILENT);
      break;
    }
    default:
      add(g, K(GROUP_ENTER), 0, 0, maybe_silent(g));
      access(g, 0);
      add(g, K(GROUP_LEAVE), 0, 0, maybe_silent(g));
  }
}

static void with_queue(generator *g) {
  unsigned queue = below(g, 2);
  if (below(g, 4) == 0) {
    unsigned silent = maybe_silent(g);
    add(g, K(ENQUEUE), queue, 0, MODEL_SYNC);
    add(g, K(BEGIN), queue, 0, 0);
    access(g, 0);
    add(g, K(FINISH), queue, 0, silent);
    return;
  }
  unsigned block = new_slot(g, MODEL_BLOCK);
  if (!block) return;
  model_slot *slot = &g->program.slots[block];
  slot->queue = (uint8_t)queue;
  slot->is_barrier = below(g, 4) == 0;
  slot->is_cancellable = below(g, 3) == 0;
  add(g, K(ENQUEUE), queue, block, maybe_silent(g));
  if (slot->is_cancellable && below(g, 2)) add(g, K(CANCEL_ITEM), block, 0, maybe_silent(g));
}

static void with_queue_state(generator *g) {
  switch (below(g, 4)) {
    case 0:
      add(g, K(SUSPEND), 0, 0, maybe_silent(g));
      break;
    case 1:
      add(g, K(RESUME), 0, 0, maybe_silent(g));
      break;
    case 2:
      for (unsigned i = 0; i < g->slots; i++) {
        if (!g->program.slots[i].is_cancellable) continue;
        add(g, below(g, 2) ? K(CANCEL_ITEM) : K(TEST_ITEM), i, 0, maybe_silent(g));
        return;
      }
      break;
    default:
      with_queue(g);
  }
}

static void with_tasks(generator *g) {
  unsigned task = 0;
  for (unsigned i = 0; i < g->slots; i++) {
    if (g->program.slots[i].role == MODEL_TASK && !g->program.slots[i].is_root) task = i;
  }
  if (!task || below(g, 3) == 0) {
    unsigned made = new_slot(g, MODEL_TASK);
    if (!made) return;
    add(g, K(START), 0, made, MODEL_MAKES | maybe_silent(g));
    task = made;
  }
  switch (below(g, 4)) {
    case 0:
      add(g, K(AWAIT), task, 0, 0);
      break;
    case 1:
      add(g, K(TEST_CANCEL), task, 0, maybe_silent(g));
      break;
    default:
      add(g, K(CANCEL), task, 0, maybe_silent(g));
  }
}

static void with_spawn(generator *g) {
  unsigned thread = new_slot(g, MODEL_THREAD);
  if (!thread) return;
  add(g, K(START), 0, thread, MODEL_MAKES | maybe_silent(g));
  access(g, 0);
  if (below(g, 2)) add(g, K(JOIN), thread, 0, 0);
}

static void with_clock(generator *g) {
  if (below(g, 2)) {
    add(g, K(READ_CLOCK), 0, 0, maybe_silent(g));
    return;
  }
  unsigned timer = new_slot(g, MODEL_TIMER);
  if (!timer) return;
  g->program.slots[timer].delay = (uint8_t)below(g, 3);
  add(g, K(READ_CLOCK), 0, timer, MODEL_MAKES | maybe_silent(g));
}

static void with_section(generator *g) {
  bool writes = below(g, 2);
  unsigned resource = below(g, 2), silent = maybe_silent(g);
  add(g, writes ? K(SECTION_WRITE) : K(SECTION_READ), resource, 0, silent);
  // Half of the sections access the variable that they stand for.
  if (below(g, 2)) add(g, writes ? K(WRITE) : K(READ), resource, 0, MODEL_SILENT);
  add(g, writes ? K(SECTION_WRITE_END) : K(SECTION_READ_END), resource, 0, 0);
}

static void add_feature(generator *g, model_feature feature) {
  switch (feature) {
    case MODEL_MUTEX:
      with_lock(g);
      break;
    case MODEL_TRY:
      with_try(g);
      break;
    case MODEL_READERS:
      with_readers(g);
      break;
    case MODEL_CONDITION:
      with_condition(g);
      break;
    case MODEL_SEMAPHORE:
      with_semaphore(g);
      break;
    case MODEL_TIMED_WAIT:
      with_timed_wait(g);
      break;
    case MODEL_BARRIER:
      add(g, K(BARRIER_WAIT), 0, 0, 0);
      if (below(g, 2)) access(g, MODEL_IF_ODD);
      break;
    case MODEL_GROUP:
      with_group(g);
      break;
    case MODEL_QUEUE:
      with_queue(g);
      break;
    case MODEL_QUEUE_STATE:
      with_queue_state(g);
      break;
    case MODEL_TASKS:
      with_tasks(g);
      break;
    case MODEL_CONTINUATION:
      add(g, below(g, 2) ? K(CONTINUATION_WAIT) : K(CONTINUATION_RESUME), below(g, 2), 0, 0);
      break;
    case MODEL_SECTIONS:
      with_section(g);
      break;
    case MODEL_SYNC_POINTS:
      add(g, K(SYNC_POINT), 0, 0, 0);
      break;
    case MODEL_CLOCK:
      with_clock(g);
      break;
    case MODEL_SPAWN:
      with_spawn(g);
      break;
    default:
      access(g, 0);
      if (below(g, 6) == 0) add(g, K(YIELD), 0, 0, 0);
  }
}

model_program model_generate(uint64_t seed) {
  generator g = {.seed = seed * 0x2545f4914f6cdd1dull + 1};
  unsigned roots = 2 + (below(&g, 3) == 0);
  g.slots = roots;
  for (unsigned i = 0; i < 2; i++) {
    g.program.semaphores[i] = (uint8_t)below(&g, 3);
    g.program.is_concurrent[i] = below(&g, 2);
    g.program.pool[i] = (uint8_t)below(&g, 2);
    g.program.parties[i] = 2;
  }
  g.program.width[0] = (uint8_t)(1 + below(&g, 2));
  g.program.wakes_without_signal = seed & 1;
  model_feature features[3];
  unsigned feature_count = 1 + below(&g, 3);
  for (unsigned i = 0; i < feature_count; i++) {
    features[i] = (model_feature)below(&g, MODEL_FEATURES);
  }
  if (seed >= MODEL_FIRST_WITH_SECTIONS) {
    features[0] = below(&g, 3) ? MODEL_SECTIONS : MODEL_SYNC_POINTS;
  }
  for (unsigned slot = 0; slot < roots; slot++) {
    g.program.slots[slot].is_root = true;
    g.slot = slot;
    g.line = 0;
    unsigned parts = 1 + below(&g, roots == 2 ? 4 : 2);
    for (unsigned i = 0; i < parts; i++) add_feature(&g, features[below(&g, feature_count)]);
    if (below(&g, 3) == 0) access(&g, 0);
  }
  return g.program;
}
