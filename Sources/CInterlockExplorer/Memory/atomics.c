// Atomic operations of instrumented code as points.
#include "waiting_loops.h"

#include "interlock_code.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#define ENGINE interlock_the_engine

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
  bool can_wait = call->size <= INTERLOCK_LOOP_WIDEST &&
                  (count == 1 || call->size == INTERLOCK_LOOP_WIDEST);
  if (can_wait) loop->now.state = interlock_loop_state(call, loop);
  loop->waits_since = can_wait && call->reads ? interlock_loop_start(loop) : loop->count;
  call->is_step = true;
  if (call->is_weaker && !call->stores) ENGINE.result->strengthens_atomics = true;
  call->repeats = loop->waits_since < loop->count;
  if (call->repeats) call->seen = loop->reads[loop->waits_since].seen;
  // With the weak memory model, a loop that has read an older store may continue with a newer
  // store.
  bool must_wait =
      call->repeats && !(call->stores && interlock_loop_has_changed(ENGINE.current, loop));
  if (must_wait) operations[0].flags |= INTERLOCK_OPERATION_AWAITS_CHANGE;
  interlock_marks.hidden--;
  if (must_wait) ENGINE.result->bounds_loops = true;
  interlock_name_call(call->name);
  loop->is_asking = true;
  interlock_point(operations[0], must_wait ? interlock_loop_has_changed : NULL, loop, call->place);
  for (size_t index = 1; index < count; index++) interlock_did(operations[index]);
  if (must_wait) add_others(loop);
  loop->is_asking = false;
  if (must_wait && !call->stores) interlock_loop_forget(loop);
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
  if (changes || (loop->count == INTERLOCK_LOOP_READS && !repeats)) interlock_loop_forget(loop);
  // With the weak memory model, a loop may reach the same state again after another store.
  if (!changes) loop->reads[repeats ? loop->waits_since : loop->count++] = *now;
  if (!failed) return;
  interlock_operation operation = ENGINE.performed.items[ENGINE.asked];
  operation.kind = INTERLOCK_OPERATION_READ;
  interlock_turned_out(operation);
  // The operation on the upper half of the 16 bytes.
  if (call->size == INTERLOCK_LOOP_WIDEST) {
    ENGINE.performed.items[ENGINE.asked + 1].kind = operation.kind;
  }
  interlock_call_turned_out(failed);
}

#endif
