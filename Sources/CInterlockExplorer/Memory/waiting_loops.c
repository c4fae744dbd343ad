// Loops that wait for an atomic.
//
// A loop that reads the same value again and again would make endless executions. The next round of
// the loop repeats the last one if the thread is in the same state (its registers, its stack and
// the memory that it has written since are equal) and reads the same values. Then the thread waits
// until another thread changes what the loop reads.
#include "waiting_loops.h"

#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#define ENGINE interlock_the_engine

enum { kept_registers = 5 };

void interlock_loop_forget(struct interlock_loop *loop) {
  loop->count = loop->written_count = 0;
  loop->writes_too_much = false;
}

void interlock_loop_has_step(interlock_logical_thread *thread) {
  if (!thread->loop->is_asking) interlock_loop_forget(thread->loop);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

uint64_t interlock_loop_state(const interlock_atomic_call *call,
                              const struct interlock_loop *loop) {
  const interlock_stack *stack = ENGINE.current->stack;
  const uintptr_t *frame = call->frame;
  if (!frame || !stack || (uintptr_t)frame - stack->low >= stack->top - stack->low) return 0;
  uint64_t hash = mixed(call->place, call->operands);
  for (const uintptr_t *word = frame - kept_registers; word < (const uintptr_t *)stack->top;
       word++) {
    hash = mixed(hash, *word);
  }
  for (uint32_t index = 0; index < loop->written_count; index++) {
    hash = mixed(mixed(hash, loop->written[index]), *(const uint64_t *)loop->written[index]);
  }
  return hash ? hash : 1;
}

uint32_t interlock_loop_start(const struct interlock_loop *loop) {
  uint32_t first = 0;
  if (loop->now.state == 0 || loop->writes_too_much) return loop->count;
  while (first < loop->count && loop->reads[first].state != loop->now.state) first++;
  return first;
}

/// True if the operation would find another value if it were performed again.
static bool finds_another(const loop_read *read) {
  if (read->stores) return *read->stores != read->seen || !read->is_newest;
  return memcmp((const void *)read->address, read->found, read->size) != 0;
}

bool interlock_loop_has_changed(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const struct interlock_loop *loop = context;
  for (uint32_t index = loop->waits_since; index < loop->count; index++) {
    if (finds_another(&loop->reads[index])) return true;
  }
  return false;
}

bool interlock_loop_waits(const interlock_logical_thread *thread) {
  return thread->is_ready == interlock_loop_has_changed;
}

void interlock_explored_memory_written(uintptr_t address, size_t size) {
  struct interlock_loop *loop = ENGINE.current ? ENGINE.current->loop : NULL;
  if (!loop || loop->count == 0) return;
  const interlock_stack *stack = ENGINE.current->stack;
  if (stack && address - stack->low < stack->top - stack->low) return;
  loop->writes_too_much |= size == 0;
  uintptr_t end = address + size;
  for (uintptr_t unit = address & ~(uintptr_t)7; unit < end; unit += 8) {
    uint32_t index = 0;
    while (index < loop->written_count && loop->written[index] != unit) index++;
    if (index < loop->written_count) continue;
    if (index == INTERLOCK_LOOP_WRITTEN) {
      loop->writes_too_much = true;
      return;
    }
    loop->written[loop->written_count++] = unit;
  }
}

void interlock_loop_memory_freed(uintptr_t address, size_t size) {
  struct interlock_loop *loop = ENGINE.current ? ENGINE.current->loop : NULL;
  if (!loop) return;
  for (uint32_t index = loop->written_count; index-- > 0;) {
    if (loop->written[index] - address >= size) continue;
    loop->written[index] = loop->written[--loop->written_count];
  }
}

#endif
