// Points before accesses of memory.
#include "waiting_loops.h"

#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

/// Keys of accessed memory have this bit, so that a lock's own object is a different object.
static const uintptr_t memory_bit = (uintptr_t)1 << 62;

/// The units of 8 bytes that have an object in this execution.
static INTERLOCK_LIST(uintptr_t) units;

void interlock_accesses_reset(void) { units.count = 0; }

static interlock_operation operation_at(interlock_operation_kind kind, const void *address) {
  interlock_marks.hidden++;
  uint32_t object = interlock_object_in_memory(address)->number;
  interlock_marks.hidden--;
  return interlock_operation_of(kind, object, 0);
}

void interlock_explored_access(interlock_operation_kind kind, const void *address) {
  if (!interlock_is_controlled()) return;
  interlock_point(operation_at(kind, address), NULL, NULL, (uintptr_t)__builtin_return_address(0));
}

void interlock_explored_access_was(interlock_operation_kind kind, const void *address) {
  if (interlock_is_controlled()) interlock_turned_out(operation_at(kind, address));
}

void interlock_explored_accessed(interlock_operation_kind kind, const void *address) {
  if (interlock_marks.controlled) interlock_did(operation_at(kind, address));
}

static uint32_t object_of(uintptr_t unit) {
  const void *key = (const void *)(unit | memory_bit);
  const interlock_object *known = interlock_object_known(key);
  if (!known || known->number == 0) INTERLOCK_PUSH(&units, unit);
  return interlock_object_at(key)->number;
}

/// Returns the operation of an access on one unit.
static interlock_operation operation_on(interlock_operation_kind kind, uintptr_t unit,
                                        uintptr_t address, uintptr_t end) {
  uint32_t first = unit < address ? (uint32_t)(address - unit) : 0;
  uint32_t last = end - unit < 8 ? (uint32_t)(end - unit) : 8;
  uint32_t bytes = ((1u << (last - first)) - 1) << first;
  interlock_operation operation = interlock_operation_of(kind, object_of(unit), 0);
  operation.flags = ~bytes & INTERLOCK_OPERATION_BYTES_LEFT_OUT;
  return operation;
}

size_t interlock_operations_on(interlock_operation_kind kind, uintptr_t address, size_t size,
                               interlock_operation operations[INTERLOCK_MOST_UNITS]) {
  uintptr_t end = address + size, unit = address & ~(uintptr_t)7;
  size_t count = 0;
  for (; unit < end && count < INTERLOCK_MOST_UNITS; unit += 8) {
    operations[count++] = operation_on(kind, unit, address, end);
  }
  if (unit >= end) return count;
  // A larger access depends on everything, and the exploration then claims no completeness.
  operations[0] = interlock_operation_of(INTERLOCK_OPERATION_UNKNOWN, 0, 0);
  return 1;
}

void interlock_explored_memory_access(uintptr_t address, size_t size, bool only_reads,
                                      const char *name, uintptr_t place) {
  interlock_operation_kind kind = only_reads ? INTERLOCK_OPERATION_READ : INTERLOCK_OPERATION_WRITE;
  interlock_operation operations[INTERLOCK_MOST_UNITS];
  interlock_marks.hidden++;
  size_t count = interlock_operations_on(kind, address, size, operations);
  interlock_marks.hidden--;
  interlock_name_call(name);
  interlock_point(operations[0], NULL, NULL, place);
  for (size_t index = 1; index < count; index++) interlock_did(operations[index]);
}

void interlock_explored_names_race(bool begins) {
  if (ENGINE.shown_naming) *ENGINE.shown_naming = begins;
}

uint32_t interlock_explored_thread_number(void) {
  return interlock_marks.controlled && ENGINE.current ? ENGINE.current->number + 1 : 0;
}

void interlock_explored_memory_undecided(void) {
  interlock_escaped("code without '-sanitize=thread' that may order accesses");
}

bool interlock_explored_memory_is_weak(void) {
  return ENGINE.options.memory_model == INTERLOCK_MEMORY_WEAK;
}

uint64_t interlock_explored_execution(void) { return ENGINE.execution; }

size_t interlock_explored_step(void) { return ENGINE.trace.count - 1; }

bool interlock_explored_comes_after(size_t step) {
  const interlock_strategy *strategy = ENGINE.strategy;
  // No strategy chooses these executions.
  bool is_asked = strategy->orders && !ENGINE.is_warming_up && !ENGINE.is_repeating &&
                  !ENGINE.is_cut;
  return !is_asked || strategy->orders(strategy, step);
}

uint32_t interlock_explored_pick(uint32_t count, uint64_t useful) {
  return interlock_pick_useful(count, useful);
}

void interlock_explored_atomic_did(const interlock_atomic_effect *effect) {
  interlock_exploration_step *step = &ENGINE.trace.items[ENGINE.trace.count - 1];
  step->reads_value = effect->reads;
  step->writes_value = effect->writes;
  step->memory_order = (uint8_t)(effect->memory_order + 1);
  step->value = effect->value;
  step->upper_value = effect->upper;
  step->has_wide_value = effect->is_wide;
  step->read_from = (uint32_t)effect->store;
  step->not_read = (uint32_t)effect->newest;
}

int interlock_explored_memory_order(uintptr_t place, int memory_order) {
  for (size_t index = 0; index < ENGINE.options.memory_order_count; index++) {
    const interlock_memory_order *other = &ENGINE.options.memory_orders[index];
    if (other->place == place) return other->order;
  }
  return memory_order;
}

void interlock_explored_memory_gap(const char *name) { interlock_escaped(name); }

void interlock_explored_memory_freed(uintptr_t address, size_t size) {
  interlock_objects_freed(address, size);
  interlock_loop_memory_freed(address, size);
  for (size_t index = units.count; index-- > 0;) {
    uintptr_t unit = units.items[index];
    if (unit - address >= size) continue;
    interlock_object *object = interlock_object_known((const void *)(unit | memory_bit));
    if (object) object->number = 0;
    units.items[index] = units.items[--units.count];
  }
}

#else

void interlock_explored_access(interlock_operation_kind kind, const void *address) {
  (void)kind, (void)address;
}
void interlock_explored_access_was(interlock_operation_kind kind, const void *address) {
  (void)kind, (void)address;
}
void interlock_explored_accessed(interlock_operation_kind kind, const void *address) {
  (void)kind, (void)address;
}
void interlock_explored_memory_undecided(void) {}

#endif
