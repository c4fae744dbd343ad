// Hashes executions so that those that differ only in the order of independent steps have the same
// hash. An estimate of coverage counts the hashes.
//
// The hash of an operation comes from the last operation of its thread and the last operations on
// its objects. The hash of an execution is the sum of these, so that it does not depend on the
// order of operations without a common object. Two operations on one object always count as
// dependent. So some equivalent executions have different hashes, and the estimate is too low.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <string.h>

#define ENGINE interlock_the_engine

/// The identity of a thread in each execution: its maker, and its number among the maker's threads.
typedef struct {
  uint64_t identity, last;
  uint32_t made;
} thread_trace;

/// The hash of the last operation on each object, and of each thread. The numbers of objects and
/// threads depend on the order, so they are not part of a hash.
static struct {
  INTERLOCK_LIST(uint64_t) objects;
  INTERLOCK_LIST(thread_trace) threads;
  uint64_t sum, clock;
} trace;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

void interlock_trace_begin(void) {
  trace.objects.count = trace.threads.count = 0;
  trace.sum = trace.clock = 0;
  INTERLOCK_PUSH(&trace.threads, ((thread_trace){.identity = 1, .last = 1}));
}

/// The hash of the last operation on an object; for 0, the clock's.
static uint64_t *last_on(uint32_t object) {
  // Libraries' objects are numbered from INTERLOCK_FIRST_LIBRARY_OBJECT: interleave the two ranges.
  bool is_library = object >= INTERLOCK_FIRST_LIBRARY_OBJECT;
  size_t index = is_library ? 2 * (size_t)(object - INTERLOCK_FIRST_LIBRARY_OBJECT) + 1
                            : 2 * (size_t)object;
  if (object == 0) return &trace.clock;
  while (trace.objects.count <= index) INTERLOCK_PUSH(&trace.objects, 0);
  return &trace.objects.items[index];
}

/// The other object that an operation acts on; 0 for none.
static uint32_t other_of(const interlock_operation *operation) {
  switch (operation->kind) {
    case INTERLOCK_OPERATION_WAIT:
    case INTERLOCK_OPERATION_LOCK:
    case INTERLOCK_OPERATION_BEGIN:
    case INTERLOCK_OPERATION_BEGIN_BARRIER:
    case INTERLOCK_OPERATION_TIME_UP: return operation->other;
    default: return 0;
  }
}

static bool uses_clock(const interlock_operation *operation) {
  return operation->kind == INTERLOCK_OPERATION_READ_CLOCK ||
         operation->kind == INTERLOCK_OPERATION_TIME_UP ||
         operation->kind == INTERLOCK_OPERATION_UNKNOWN;
}

void interlock_trace_add(uint32_t thread, const interlock_operation *operations, size_t count) {
  uint64_t hash = trace.threads.items[thread].last;
  for (size_t index = 0; index < count; index++) {
    const interlock_operation *operation = &operations[index];
    uint32_t other = other_of(operation);
    hash = mix(hash, operation->kind | (uint64_t)operation->flags << 16);
    if (operation->object) hash = mix(hash, *last_on(operation->object));
    if (other) hash = mix(hash, *last_on(other));
    if (uses_clock(operation)) hash = mix(hash, trace.clock);
    if (operation->object) *last_on(operation->object) = hash;
    if (other) *last_on(other) = hash;
    if (uses_clock(operation)) trace.clock = hash;
    trace.sum += hash;
  }
  trace.threads.items[thread].last = hash;
  while (trace.threads.count < ENGINE.threads.count) {
    thread_trace *maker = &trace.threads.items[thread];
    uint64_t identity = mix(maker->identity, ++maker->made);
    INTERLOCK_PUSH(&trace.threads, ((thread_trace){.identity = identity, .last = identity}));
  }
}

uint64_t interlock_trace_hash(void) { return trace.sum; }

#endif
