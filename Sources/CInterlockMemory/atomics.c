// Atomic operations of instrumented code. Each is performed as the code asks, and orders threads as
// its memory order says: a release gives the thread's clock to the address, an acquire joins it.
// A release of one thread does not end that of another: both are joined, which can only hide a
// race.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

// A section of their own shows which calls of instrumented code lead here (access_sites.c).
#pragma clang section text = "interlock_accesses"

#include "interlock_explored_memory.h"
#include "interlock_explored_sections.h"
#include "WeakMemory/weak_memory.h"
#include "mutex_list.h"

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

void interlock_memory_order(bool gives, uintptr_t object) {
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own)) return;
  begin_change();
  if (gives) {
    interlock_clock_pass(own->clock, object, AS_LOCK, false);
  } else {
    interlock_clock_get(own->clock, object, AS_LOCK, false, false);
  }
  end_change();
}

static void note_load(uintptr_t object) {
  for (uint32_t index = 0; index < fences.load_count && index < most_loads; index++) {
    if (fences.loads[index] == object) return;
  }
  if (fences.load_count < most_loads) fences.loads[fences.load_count] = object;
  fences.load_count++;
}

/// Before the operation: another thread may see its effect at once.
static inline void before(const volatile void *at, uint32_t size, bool writes, int memory_order,
                          uintptr_t place) {
  check_access((uintptr_t)at, size, CELL_IS_ATOMIC | (writes ? CELL_WRITES : 0), place);
  if (writes && (releases(memory_order) || fences.has_released)) {
    interlock_memory_order(true, (uintptr_t)at);
  }
}
/// After an operation that has read.
static inline void after(const volatile void *at, int memory_order) {
  if (acquires(memory_order)) {
    interlock_memory_order(false, (uintptr_t)at);
  } else if (interlock_memory_own) {
    note_load((uintptr_t)at);
  }
}

// Explored threads. Each operation has a twin for them, to which it jumps: the twin finds the
// registers and the stack as the instrumented code left them.

/// Only while memory is checked: what a loop writes shows whether it repeats itself.
static inline bool is_explored(void) {
  // Relaxed: the check does not start or end within an exploration.
  return __builtin_expect(interlock_marks.controlled, 0) && interlock_is_controlled() &&
         interlock_explored_atomic &&
         __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
}

/// Sections read it in instrumented code of Interlock: no step of the user's.
static inline bool is_own(const volatile void *at) {
  return at == (const volatile void *)&interlock_explored_sections_now;
}

bool interlock_memory_controls_atomics(void) {
  // Relaxed: see above.
  return __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
}

static inline uint64_t operands_of(uint64_t one, uint64_t other, int memory_order) {
  return (one * 0x9e3779b97f4a7c15ull ^ other) * 0x9e3779b97f4a7c15ull + (uint64_t)memory_order;
}

#define TWIN static __attribute__((noinline))
#define TO_TWIN(call) \
  if (is_explored()) __attribute__((musttail)) return call

/// A point before an operation, in a twin: keeps all registers of the code on its own frame.
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

// The operation itself is sequentially consistent, which is at least as strong as asked.

#define CHANGE(bits, type, name, text, operation)                                               \
  static inline type name##bits(volatile type *at, type value, int memory_order,                \
                                uintptr_t place) {                                              \
    before(at, sizeof(type), true, memory_order, place);                                        \
    type old = operation(at, value, __ATOMIC_SEQ_CST);                                          \
    after(at, memory_order);                                                                    \
    return old;                                                                                 \
  }                                                                                             \
  TWIN type explored_##name##bits(volatile type *at, type value, int memory_order) {            \
    POINT(true, true, text, at, value, 0, memory_order);                                      \
    type old, next;                                                                             \
    if (is_weak) {                                                                              \
      next = old = (type)interlock_weak_read(&call, memory_order);                              \
      operation(&next, value, __ATOMIC_RELAXED);                                                \
      interlock_weak_change(&call, next);                                                       \
    } else {                                                                                    \
      old = name##bits(at, value, memory_order, PLACE);                                         \
    }                                                                                           \
    interlock_explored_atomic_was(&call, NULL);                                                 \
    return old;                                                                                 \
  }                                                                                             \
  EXPORTED type __tsan_atomic##bits##_##name(volatile type *at, type value, int memory_order) { \
    TO_TWIN(explored_##name##bits(at, value, memory_order));                                    \
    return name##bits(at, value, memory_order, PLACE);                                          \
  }

#define ATOMIC(bits, type, COMPARED)                                                          \
  static inline type load##bits(const volatile type *at, int memory_order, uintptr_t place) { \
    before(at, sizeof(type), false, memory_order, place);                                     \
    type value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                       \
    after(at, memory_order);                                                                  \
    return value;                                                                             \
  }                                                                                           \
  TWIN type explored_load##bits(const volatile type *at, int memory_order) {                  \
    POINT(true, false, "atomic load", at, 0, 0, memory_order);                                \
    type value = is_weak ? (type)interlock_weak_load(&call, memory_order)                      \
                         : load##bits(at, memory_order, PLACE);                               \
    interlock_explored_atomic_was(&call, NULL);                                               \
    return value;                                                                             \
  }                                                                                           \
  EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int memory_order) {       \
    if (is_explored() && !is_own(at)) {                                                       \
      __attribute__((musttail)) return explored_load##bits(at, memory_order);                 \
    }                                                                                         \
    return load##bits(at, memory_order, PLACE);                                               \
  }                                                                                           \
  static inline void store##bits(volatile type *at, type value, int memory_order,             \
                                 uintptr_t place) {                                           \
    before(at, sizeof(type), true, memory_order, place);                                      \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                           \
  TWIN void explored_store##bits(volatile type *at, type value, int memory_order) {           \
    POINT(false, true, "atomic store", at, 0, 0, memory_order);                               \
    if (is_weak) {                                                                            \
      interlock_weak_store(&call, value, memory_order);                                       \
    } else {                                                                                  \
      store##bits(at, value, memory_order, PLACE);                                            \
    }                                                                                         \
    interlock_explored_atomic_was(&call, NULL);                                               \
  }                                                                                           \
  EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value,                    \
                                            int memory_order) {                               \
    TO_TWIN(explored_store##bits(at, value, memory_order));                                   \
    store##bits(at, value, memory_order, PLACE);                                              \
  }                                                                                           \
  CHANGE(bits, type, exchange, "atomic exchange", __atomic_exchange_n)                        \
  CHANGE(bits, type, fetch_add, "atomic add", __atomic_fetch_add)                             \
  CHANGE(bits, type, fetch_sub, "atomic subtract", __atomic_fetch_sub)                        \
  CHANGE(bits, type, fetch_or, "atomic or", __atomic_fetch_or)                                \
  CHANGE(bits, type, fetch_and, "atomic and", __atomic_fetch_and)                             \
  CHANGE(bits, type, fetch_xor, "atomic exclusive or", __atomic_fetch_xor)                    \
  CHANGE(bits, type, fetch_nand, "atomic nand", __atomic_fetch_nand)                          \
  static inline type weak_compare##bits(interlock_atomic_call *call, type expected,           \
                                        type desired, int memory_order, int failure_order) {  \
    uint64_t found = expected;                                                                \
    interlock_weak_exchange(call, &found, desired, memory_order, failure_order);              \
    return (type)found;                                                                       \
  }                                                                                           \
  static inline bool compare##bits(volatile type *at, type *expected, type desired,           \
                                   int memory_order, int failure_order, uintptr_t place) {    \
    before(at, sizeof(type), releases(memory_order), memory_order, place);                    \
    bool done = __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST,   \
                                            __ATOMIC_SEQ_CST);                                \
    if (done && !releases(memory_order)) before(at, sizeof(type), true, relaxed, place);      \
    after(at, done ? memory_order : failure_order);                                           \
    return done;                                                                              \
  }                                                                                           \
  static inline type compare_lock##bits(volatile type *at, type expected, type desired,       \
                                        int memory_order, int failure_order,                  \
                                        interlock_mutex_use use, uintptr_t place) {           \
    type wanted = expected;                                                                   \
    (void)wanted;                                                                             \
    if (COMPARED##_unlocks(at, expected, desired, place)) memory_order = relaxed;             \
    before(at, sizeof(type), releases(memory_order), memory_order, place);                    \
    bool done = __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST,  \
                                            __ATOMIC_SEQ_CST);                                \
    if (use != INTERLOCK_MUTEX_NONE) interlock_explored_mutex_did(use, (uint32_t *)at, done); \
    if (done && COMPARED##_locks(at, wanted, desired, place)) return expected;                \
    if (done && !releases(memory_order)) {                                                    \
      before(at, sizeof(type), true, relaxed, place);                                         \
    }                                                                                         \
    after(at, done ? memory_order : failure_order);                                           \
    return expected;                                                                          \
  }                                                                                           \
  TWIN type explored_compare##bits(volatile type *at, type expected, type desired,            \
                                   int memory_order, int failure_order) {                     \
    interlock_mutex_use use = COMPARED##_asks(at, PLACE);                                     \
    if (use != INTERLOCK_MUTEX_NONE) {                                                        \
      return compare_lock##bits(at, expected, desired, memory_order, failure_order, use,      \
                                PLACE);                                                       \
    }                                                                                         \
    POINT(true, true, "compare-exchange", at, expected, desired, memory_order);               \
    type wanted = expected;                                                                   \
    if (is_weak) {                                                                            \
      expected = weak_compare##bits(&call, expected, desired, memory_order, failure_order);   \
    } else {                                                                                  \
      expected = compare_lock##bits(at, expected, desired, memory_order, failure_order, use,  \
                                    PLACE);                                                   \
    }                                                                                         \
    interlock_explored_atomic_was(&call, expected == wanted ? NULL : failed_exchange);        \
    return expected;                                                                          \
  }                                                                                           \
  EXPORTED type __tsan_atomic##bits##_compare_exchange_val(                                   \
      volatile type *at, type expected, type desired, int memory_order, int failure_order) {  \
    TO_TWIN(explored_compare##bits(at, expected, desired, memory_order, failure_order));      \
    return compare_lock##bits(at, expected, desired, memory_order, failure_order,             \
                              INTERLOCK_MUTEX_NONE, PLACE);                                   \
  }                                                                                           \
  TWIN int explored_compare_strong##bits(volatile type *at, type *expected, type desired,     \
                                         int memory_order, int failure_order) {               \
    POINT(true, true, "compare-exchange", at, *expected, desired, memory_order);              \
    type wanted = *expected;                                                                  \
    if (is_weak) {                                                                            \
      *expected = weak_compare##bits(&call, wanted, desired, memory_order, failure_order);    \
    } else {                                                                                  \
      compare##bits(at, expected, desired, memory_order, failure_order, PLACE);               \
    }                                                                                         \
    bool done = *expected == wanted;                                                          \
    interlock_explored_atomic_was(&call, done ? NULL : failed_exchange);                      \
    return done;                                                                              \
  }                                                                                           \
  EXPORTED int __tsan_atomic##bits##_compare_exchange_strong(                                 \
      volatile type *at, type *expected, type desired, int memory_order, int failure_order) { \
    TO_TWIN(explored_compare_strong##bits(at, expected, desired, memory_order,                \
                                          failure_order));                                    \
    return compare##bits(at, expected, desired, memory_order, failure_order, PLACE);          \
  }                                                                                           \
  EXPORTED int __tsan_atomic##bits##_compare_exchange_weak(                                   \
      volatile type *at, type *expected, type desired, int memory_order, int failure_order)   \
      __attribute__((alias("__tsan_atomic" #bits "_compare_exchange_strong")));

/// The name of a compare-exchange that has only read.
static const char failed_exchange[] = "failed exchange";

#define never_asks(at, place) INTERLOCK_MUTEX_NONE
#define never_locks(at, expected, desired, place) false
#define never_unlocks(at, expected, desired, place) false
#define maybe_asks(at, place) \
  interlock_mutex_asks(INTERLOCK_MUTEX_NONE, (uint32_t *)(uintptr_t)(at), place)
#define maybe_locks(at, expected, desired, place) \
  interlock_mutex_is_locked((uintptr_t)(at), expected, desired, place)
#define maybe_unlocks(at, expected, desired, place) \
  interlock_mutex_unlocks((uintptr_t)(at), expected, desired, place)

ATOMIC(8, uint8_t, never)
ATOMIC(16, uint16_t, never)
ATOMIC(32, uint32_t, maybe)
ATOMIC(64, uint64_t, never)

// 128 bits: every operation is a compare and swap, which each processor has for this size.

typedef unsigned __int128 wide;

/// Whether a loop waits for so wide an atomic is not looked at.
static void before_wide(const volatile void *at, bool writes, int memory_order, uintptr_t place) {
  if (is_explored()) {
    interlock_atomic_call call = {
        .reads = true,
        .is_weaker = memory_order != sequential,
        .writes = writes,
        .name = writes ? "atomic update" : "atomic load",
        .address = (uintptr_t)at,
        .size = sizeof(wide),
        .place = place};
    interlock_explored_atomic(&call);
  }
  before(at, 8, writes, memory_order, place);
  check_access((uintptr_t)at + 8, 8, CELL_IS_ATOMIC | (writes ? CELL_WRITES : 0), place);
}

#if defined(__x86_64__)
// Some processors of this kind lack the instruction, so the compiler emits it only where this says
// that it is there, and not where this function is inlined: it would call libatomic's instead.
__attribute__((target("cx16"), noinline))
#endif
static bool exchange_wide(volatile wide *at, wide *expected, wide desired) {
  // A full barrier: at least as strong as any order that the code asks for.
  wide found = __sync_val_compare_and_swap(at, *expected, desired);
  bool done = found == *expected;
  *expected = found;
  return done;
}

#define CHANGE_WIDE(name, result)                                                              \
  EXPORTED wide __tsan_atomic128_##name(volatile wide *at, wide value, int memory_order) {     \
    before_wide(at, true, memory_order, PLACE);                                                \
    wide old = 0;                                                                              \
    while (!exchange_wide(at, &old, result)) {                                                 \
    }                                                                                          \
    after(at, memory_order);                                                                   \
    return old;                                                                                \
  }
CHANGE_WIDE(exchange, value)
CHANGE_WIDE(fetch_add, old + value)
CHANGE_WIDE(fetch_sub, old - value)
CHANGE_WIDE(fetch_or, old | value)
CHANGE_WIDE(fetch_and, old &value)
CHANGE_WIDE(fetch_xor, old ^ value)
CHANGE_WIDE(fetch_nand, ~(old & value))

EXPORTED wide __tsan_atomic128_load(const volatile wide *at, int memory_order) {
  before_wide(at, false, memory_order, PLACE);
  wide value = 0;
  // Writes the value that it finds.
  exchange_wide((volatile wide *)at, &value, value);
  after(at, memory_order);
  return value;
}
EXPORTED void __tsan_atomic128_store(volatile wide *at, wide value, int memory_order) {
  before_wide(at, true, memory_order, PLACE);
  wide old = 0;
  while (!exchange_wide(at, &old, value)) {
  }
}
EXPORTED wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected,
                                                    wide desired, int memory_order,
                                                    int failure_order) {
  before_wide(at, true, memory_order, PLACE);
  bool done = exchange_wide(at, &expected, desired);
  after(at, done ? memory_order : failure_order);
  return expected;
}
EXPORTED int __tsan_atomic128_compare_exchange_strong(volatile wide *at, wide *expected,
                                                      wide desired, int memory_order,
                                                      int failure_order) {
  before_wide(at, true, memory_order, PLACE);
  bool done = exchange_wide(at, expected, desired);
  after(at, done ? memory_order : failure_order);
  return done;
}
EXPORTED int __tsan_atomic128_compare_exchange_weak(volatile wide *at, wide *expected,
                                                    wide desired, int memory_order,
                                                    int failure_order)
    __attribute__((alias("__tsan_atomic128_compare_exchange_strong")));

EXPORTED void __tsan_atomic_thread_fence(int memory_order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (is_explored() && interlock_weak_fence(memory_order)) return;
  memory_thread *own = own_memory();
  if (!own) return;
  if (releases(memory_order)) fences.has_released = true;
  if (!acquires(memory_order)) return;
  if (fences.load_count > most_loads) {
    // More words than are listed: after everything, which can only hide a race.
    interlock_clock_know_all(own->clock);
  } else {
    for (uint32_t index = 0; index < fences.load_count; index++) {
      interlock_memory_order(false, fences.loads[index]);
    }
  }
  fences.load_count = 0;
}
EXPORTED void __tsan_atomic_signal_fence(int memory_order) {
  (void)memory_order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
