// Decides whether a block's turn in its queue has come: replays the queue from the steps.

#include "enabledness.h"

#define K(name) INTERLOCK_OPERATION_##name

enum { MAX_BLOCKS = 256 };

typedef struct {
  uint32_t thread;
  bool begun, finished, barrier;
} queued_block;

static bool submits_block(const interlock_operation *operation) {
  return operation->kind == K(ENQUEUE) && !(operation->flags & INTERLOCK_OPERATION_PASSED_ON);
}

// Finds the thread of the `index`-th block that a step submits. If the step made no threads, its
// own thread runs the block (`sync`). Returns false if threads and blocks cannot be matched.
static bool thread_of_block(const interlock_step *step, uint32_t index, uint32_t *thread) {
  uint32_t blocks = 0;
  for (size_t k = 0; k < step->count; k++) blocks += submits_block(&step->operations[k]);
  if (step->made == 0) *thread = step->thread;
  if (step->made == blocks) *thread = step->first_made + index;
  return step->made == 0 || step->made == blocks;
}

static queued_block *next_of(queued_block *blocks, size_t count, uint32_t thread, bool begun) {
  for (size_t i = 0; i < count; i++) {
    if (blocks[i].thread == thread && blocks[i].begun == begun && !blocks[i].finished) {
      return &blocks[i];
    }
  }
  return NULL;
}

interlock_enabledness interlock_block_enabled_after(const interlock_step *steps,
                                                    const uint32_t *chosen, size_t count,
                                                    uint32_t thread,
                                                    const interlock_operation *pending) {
  queued_block blocks[MAX_BLOCKS];
  size_t block_count = 0;
  int64_t suspensions = 0;
  for (size_t i = 0; i < count; i++) {
    const interlock_step *step = &steps[chosen[i]];
    uint32_t enqueued = 0;
    for (size_t k = 0; k < step->count; k++) {
      const interlock_operation *o = &step->operations[k];
      uint32_t index = enqueued;
      enqueued += submits_block(o);
      if (o->object != pending->object) continue;
      if (o->kind == K(ENQUEUE)) {
        uint32_t of_block;
        if (block_count == MAX_BLOCKS || !submits_block(o) ||
            !thread_of_block(step, index, &of_block)) {
          return INTERLOCK_ENABLEDNESS_UNKNOWN;
        }
        blocks[block_count++] = (queued_block){.thread = of_block};
      } else if (o->kind == K(BEGIN) || o->kind == K(BEGIN_BARRIER)) {
        queued_block *block = next_of(blocks, block_count, step->thread, false);
        if (!block) return INTERLOCK_ENABLEDNESS_UNKNOWN;
        block->begun = true;
        block->barrier = o->kind == K(BEGIN_BARRIER);
      } else if (o->kind == K(FINISH)) {
        queued_block *block = next_of(blocks, block_count, step->thread, true);
        if (!block) return INTERLOCK_ENABLEDNESS_UNKNOWN;
        block->finished = true;
      } else if (o->kind == K(SUSPEND)) {
        suspensions++;
      } else if (o->kind == K(RESUME)) {
        // More resumes than suspensions: the queue began inactive, and the operations do not tell
        // when.
        if (--suspensions < 0) return INTERLOCK_ENABLEDNESS_UNKNOWN;
      }
    }
  }
  queued_block *own = next_of(blocks, block_count, thread, false);
  if (!own) return INTERLOCK_DISABLED;
  if (suspensions > 0) return INTERLOCK_DISABLED;
  bool concurrent = pending->kind == K(BEGIN) &&
                    (pending->flags & INTERLOCK_OPERATION_CONCURRENT);
  for (queued_block *block = blocks; block != own; block++) {
    if (block->finished) continue;
    if (!concurrent || block->barrier) return INTERLOCK_DISABLED;
    // A block that has not begun may be a barrier.
    if (!block->begun) return INTERLOCK_ENABLEDNESS_UNKNOWN;
  }
  if (pending->flags & INTERLOCK_OPERATION_NESTED) return INTERLOCK_ENABLEDNESS_UNKNOWN;
  return INTERLOCK_ENABLED;
}
