// Atomic operations of instrumented code as points, and loops that wait for an atomic.
//
// A loop that reads the same value again and again would make endless executions. The next round of
// the loop repeats the last one if the thread is in the same state (its registers, its stack and
// the memory that it has written since are equal) and reads the same values. Then the thread waits
// until another thread changes what the loop reads.
#include "waiting_loops.h"

#include "interlock_code.h"
#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "../Threads/stacks.h"

#define ENGINE interlock_the_engine

enum { most_reads = 16, most_written = 32, widest = 16, kept_registers = 5 };

/// An operation that changed nothing: the value that it found, and the thread's state before it.
typedef struct {
  uint64_t state;
  uintptr_t address;
  uint32_t size, object;
  unsigned char found[widest];
  /// With the weak memory model: the number of stores to the atomic now, the number at this
  /// operation, and whether the operation read the newest store.
  const uint32_t *stores;
  uint32_t seen;
  bool is_newest;
} loop_read;

struct interlock_loop {
  loop_read reads[most_reads];
  /// The running operation.
  loop_read now;
  /// The units of 8 bytes that the thread has written since the first read.
  uintptr_t written[most_written];
  /// The lengths of `reads` and `written`; and the index of the first read of the round in which
  /// the thread waits.
  uint32_t count, written_count, waits_since;
  bool is_asking, is_at_metadata, writes_too_much;
};

static void forget_reads(struct interlock_loop *loop) {
  loop->count = loop->written_count = 0;
  loop->writes_too_much = false;
}

void interlock_loop_has_step(interlock_logical_thread *thread) {
  if (!thread->loop->is_asking) forget_reads(thread->loop);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

/// Hashes everything that decides how the thread continues: the call's operands, the callee-saved
/// registers, the stack of the calling code, and the memory that the thread has written. Returns 0
/// if it is not known.
///
/// The call's own frame has the return address behind the caller's frame pointer, and the registers
/// before it: see `interlock_atomic_call`.
static uint64_t state_of(const interlock_atomic_call *call, const struct interlock_loop *loop) {
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

/// Returns the index of the read that began in the same state as the running operation; `count` if
/// there is none.
static uint32_t start_of_round(const struct interlock_loop *loop) {
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

/// The readiness of a loop that waits.
static bool has_changed(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const struct interlock_loop *loop = context;
  for (uint32_t index = loop->waits_since; index < loop->count; index++) {
    if (finds_another(&loop->reads[index])) return true;
  }
  return false;
}

bool interlock_loop_waits(const interlock_logical_thread *thread) {
  return thread->is_ready == has_changed;
}

/// Adds the other atomics of the round to a step that has waited for a change of one of them.
static void add_others(const struct interlock_loop *loop) {
  for (uint32_t index = loop->waits_since + 1; index < loop->count; index++) {
    const loop_read *read = &loop->reads[index];
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ, read->object, 0));
  }
}

static struct interlock_loop *loop_of(interlock_logical_thread *thread) {
  if (!thread->loop) thread->loop = interlock_execution_memory(sizeof *thread->loop);
  return thread->loop;
}

extern const char __executable_start[], _end[];

/// True if an atomic is one that the compiler makes to cache the address of metadata. The runtime
/// makes the metadata once, so the value is always found again.
static bool keeps_metadata(uintptr_t address) {
  static struct {
    uintptr_t address;
    bool is_kept;
  } known[256];
  if (address - (uintptr_t)__executable_start >= (uintptr_t)(_end - __executable_start)) {
    return false;
  }
  size_t slot = (size_t)(address * 0x9e3779b97f4a7c15ull >> 56);
  if (known[slot].address == address) return known[slot].is_kept;
  const char *name = interlock_variable_symbol(address);
  size_t length = name ? strlen(name) : 0;
  known[slot].address = address;
  // The suffixes of caches: type metadata, type metadata by mangled name, protocol conformances.
  known[slot].is_kept = length > 2 && strncmp(name, "$s", 2) == 0 &&
                        (strcmp(name + length - 2, "ML") == 0 ||
                         strcmp(name + length - 2, "MD") == 0 ||
                         strcmp(name + length - 2, "WL") == 0);
  return known[slot].is_kept;
}

void interlock_explored_atomic(interlock_atomic_call *call) {
  struct interlock_loop *loop = loop_of(ENGINE.current);
  interlock_operation_kind kind = !call->writes  ? INTERLOCK_OPERATION_READ
                                  : call->reads ? INTERLOCK_OPERATION_READ_WRITE
                                                : INTERLOCK_OPERATION_WRITE;
  interlock_operation operations[INTERLOCK_MOST_UNITS];
  interlock_marks.hidden++;
  loop->is_at_metadata = keeps_metadata(call->address);
  if (loop->is_at_metadata) {
    interlock_marks.hidden--;
    return;
  }
  size_t count = interlock_operations_on(kind, call->address, call->size, operations);
  loop->now = (loop_read){.address = call->address,
                          .size = (uint32_t)call->size,
                          .object = operations[0].object,
                          .stores = call->stores};
  // An access of 16 bytes has two units. A store to one half counts as a store to the other half.
  bool can_wait = call->size <= widest && (count == 1 || call->size == widest);
  if (can_wait) loop->now.state = state_of(call, loop);
  loop->waits_since = can_wait && call->reads ? start_of_round(loop) : loop->count;
  call->is_step = true;
  if (call->is_weaker && !call->stores) ENGINE.result->strengthens_atomics = true;
  call->repeats = loop->waits_since < loop->count;
  if (call->repeats) call->seen = loop->reads[loop->waits_since].seen;
  // With the weak memory model, a loop that has read an older store may continue with a newer
  // store.
  bool must_wait = call->repeats && !(call->stores && has_changed(ENGINE.current, loop));
  if (must_wait) operations[0].flags |= INTERLOCK_OPERATION_AWAITS_CHANGE;
  interlock_marks.hidden--;
  if (must_wait) ENGINE.result->bounds_loops = true;
  interlock_name_call(call->name);
  loop->is_asking = true;
  interlock_point(operations[0], must_wait ? has_changed : NULL, loop, call->place);
  for (size_t index = 1; index < count; index++) interlock_did(operations[index]);
  if (must_wait) add_others(loop);
  loop->is_asking = false;
  if (must_wait && !call->stores) forget_reads(loop);
  if (can_wait) memcpy(loop->now.found, (const void *)call->address, call->size);
}

void interlock_explored_atomic_was(const interlock_atomic_call *call, const char *failed) {
  struct interlock_loop *loop = loop_of(ENGINE.current);
  if (loop->is_at_metadata) return;
  loop_read *now = &loop->now;
  // A weak exchange that has failed by itself may succeed the next time, so the round does not
  // repeat.
  bool changes = now->state == 0 || !call->reads || call->has_failed;
  if (call->stores) {
    changes |= call->has_written;
    now->seen = *call->stores;
    now->is_newest = call->is_newest;
  } else {
    changes |= memcmp((const void *)now->address, now->found, now->size) != 0;
  }
  bool repeats = call->stores && call->repeats && !changes;
  if (changes || (loop->count == most_reads && !repeats)) forget_reads(loop);
  // With the weak memory model, a loop may reach the same state again after another store.
  if (!changes) loop->reads[repeats ? loop->waits_since : loop->count++] = *now;
  if (!failed) return;
  interlock_operation operation = ENGINE.performed.items[ENGINE.asked];
  operation.kind = INTERLOCK_OPERATION_READ;
  interlock_turned_out(operation);
  // The operation on the upper half of the 16 bytes.
  if (call->size == widest) ENGINE.performed.items[ENGINE.asked + 1].kind = operation.kind;
  interlock_call_turned_out(failed);
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
    if (index == most_written) {
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
