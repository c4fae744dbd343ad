// The common parts of the functions that instrumented code calls for its atomics: a race check, the
// order of threads, and the point of an explored thread. Included by atomics.c only.
#ifndef INTERLOCK_ATOMIC_CALLS_H
#define INTERLOCK_ATOMIC_CALLS_H

#include "../WeakMemory/weak_memory.h"
#include "interlock_explored_memory.h"
#include "interlock_explored_sections.h"
#include "interlock_performer.h"
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

// The numbers of memory orders, which are part of the interface.
enum { relaxed, consume, acquire, release, acquire_release, sequential };

static inline bool acquires(int order) {
  return order == consume || order == acquire || order >= acquire_release;
}
static inline bool releases(int order) { return order >= release; }

// Fences. A release fence makes later relaxed stores releases; an acquire fence makes earlier
// relaxed loads acquires.
enum { most_loads = 16 };
typedef struct {
  bool has_released;
  uint32_t load_count;
  uintptr_t loads[most_loads];
} fence_state;
static __thread fence_state fences __attribute__((tls_model("initial-exec")));

static void note_load(uintptr_t object) {
  for (uint32_t index = 0; index < fences.load_count && index < most_loads; index++) {
    if (fences.loads[index] == object) return;
  }
  if (fences.load_count < most_loads) fences.loads[fences.load_count] = object;
  fences.load_count++;
}

/// Called before the operation, whose effect other threads may see at once.
static inline void before(const volatile void *at, uint32_t size, bool writes, int memory_order,
                          uintptr_t place) {
  shadow_cell kind = CELL_IS_ATOMIC | (writes ? CELL_WRITES : 0);
  // A shadow cell covers 8 bytes.
  for (uint32_t offset = 0; offset < size; offset += 8) {
    check_access((uintptr_t)at + offset, size < 8 ? size : 8, kind, place);
  }
  if (writes && (releases(memory_order) || fences.has_released)) {
    interlock_memory_order(true, (uintptr_t)at);
  }
}
/// Called after an operation that has read.
static inline void after(const volatile void *at, int memory_order) {
  if (acquires(memory_order)) {
    interlock_memory_order(false, (uintptr_t)at);
  } else if (interlock_memory_own) {
    note_load((uintptr_t)at);
  }
}

// Explored threads. For them, each operation jumps to a twin function, which finds the registers
// and the stack as the instrumented code left them.

/// Only while memory is checked, because the writes of a loop show whether it repeats itself.
static inline bool is_explored(void) {
  // Relaxed: the check does not start or end within an exploration.
  return __builtin_expect(interlock_marks.controlled, 0) && interlock_is_controlled() &&
         interlock_explored_atomic &&
         __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
}

/// True for an atomic of Interlock, which sections read in instrumented code of Interlock: no step
/// of the user's.
static inline bool is_own(const volatile void *at) {
  return at == (const volatile void *)&interlock_explored_sections_now;
}

static inline uint64_t operands_of(interlock_wide one, interlock_wide other, int memory_order) {
  const uint64_t factor = 0x9e3779b97f4a7c15ull;
  uint64_t halves = (uint64_t)(one >> 64) * factor ^ (uint64_t)(other >> 64);
  return ((uint64_t)one * factor ^ (uint64_t)other ^ halves) * factor + (uint64_t)memory_order;
}

#define TWIN static __attribute__((noinline))
#define TO_TWIN(call) \
  if (is_explored()) __attribute__((musttail)) return call

/// Reaches a point before an operation. Used in a twin, whose frame keeps all registers of the
/// calling code.
#define POINT(does_read, does_write, text, at, one, other, order)   \
  __builtin_unwind_init();                                          \
  interlock_atomic_call call = {                                    \
      .reads = does_read,                                           \
      .writes = does_write,                                         \
      .name = text,                                                 \
      .address = (uintptr_t)at,                                     \
      .size = sizeof *at,                                           \
      .operands = operands_of(one, other, order),                   \
      .place = PLACE,                                               \
      .is_weaker = order != sequential,                             \
      .frame = (const uintptr_t *)__builtin_frame_address(0)};      \
  interlock_memory_watch_writes();                                  \
  bool prepares = interlock_weak_prepares(&call);                   \
  interlock_explored_atomic(&call);                                 \
  bool is_weak = prepares && call.is_step

/// True if a compare-exchange that finds the expected value fails all the same.
static inline bool fails_by_itself(interlock_atomic_call *call, bool is_found, bool expects_zero,
                                   bool is_weak) {
  call->has_failed =
      is_found && call->is_step &&
      interlock_explored_exchange_may_fail(call->place, expects_zero, is_weak) &&
      interlock_explored_pick(2, UINT64_MAX) == 1;
  return call->has_failed;
}

/// Makes the call, which has a frame of its own, return so that the code takes the value for
/// another one than it expects.
static inline void return_as_failed(const interlock_atomic_call *call) {
  uintptr_t stub = interlock_explored_exchange_failed(call->place);
  // Volatile, because the compiler sees no use of the return address.
  if (stub) ((volatile uintptr_t *)(uintptr_t)call->frame)[1] = stub;
}

#endif
#endif
