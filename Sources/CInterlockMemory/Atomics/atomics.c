// Atomic operations of instrumented code. Each is performed as the code asks, and orders threads by
// its memory order: a release gives the thread's clock to the address, an acquire joins it. A
// release does not replace another thread's: both clocks are joined, which can only hide a race.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

// In a separate section, which identifies calls of instrumented code to these functions
// (access_sites.c).
#pragma clang section text = "interlock_accesses"

#include "atomic_calls.h"
#include "../Mutexes/mutex_list.h"
#include "wide_operations.h"

bool interlock_memory_controls_atomics(void) {
  // Relaxed: see `is_explored`.
  return __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
}

// The operations are sequentially consistent, which is at least as strong as asked.

#define plain_load(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define plain_store(at, value) __atomic_store_n(at, value, __ATOMIC_SEQ_CST)
#define plain_compare(at, expected, desired)                                                       \
  __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST,                      \
                              __ATOMIC_SEQ_CST)
#define plain_exchange(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_add(at, value) __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_sub(at, value) __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_or(at, value) __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_and(at, value) __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_xor(at, value) __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST)
#define plain_fetch_nand(at, value) __atomic_fetch_nand(at, value, __ATOMIC_SEQ_CST)

/// Returns the name of a compare-exchange that has only read; NULL if it has written.
static const char *name_of_exchange(const interlock_atomic_call *call, bool found) {
  if (call->has_failed) return "failed weak exchange";
  return found ? NULL : "failed exchange";
}

#define CHANGE(bits, type, name, text, OPERATION)                                                  \
  static inline type name##bits(volatile type *at, type value, int memory_order,                   \
                                uintptr_t place) {                                                 \
    before(at, sizeof(type), true, memory_order, place);                                           \
    type old = OPERATION(at, value);                                                               \
    after(at, memory_order);                                                                       \
    return old;                                                                                    \
  }                                                                                                \
  TWIN type explored_##name##bits(volatile type *at, type value, int memory_order) {               \
    POINT(true, true, text, at, value, 0, memory_order);                                           \
    type old, next;                                                                                \
    if (is_weak) {                                                                                 \
      next = old = (type)interlock_weak_read(&call, memory_order);                                 \
      OPERATION(&next, value);                                                                     \
      interlock_weak_change(&call, next);                                                          \
    } else {                                                                                       \
      old = name##bits(at, value, memory_order, PLACE);                                            \
    }                                                                                              \
    interlock_explored_atomic_was(&call, NULL);                                                    \
    return old;                                                                                    \
  }                                                                                                \
  EXPORTED type __tsan_atomic##bits##_##name(volatile type *at, type value, int memory_order) {    \
    TO_TWIN(explored_##name##bits(at, value, memory_order));                                       \
    return name##bits(at, value, memory_order, PLACE);                                             \
  }

// A compare-exchange releases before it is performed, because other threads may see its effect at
// once. If it finds another value than the expected one, it is a load, and releases nothing.

/// A compare-exchange that returns whether it has written.
#define COMPARE_BY(bits, type, strength, may, PERFORM)                                             \
  TWIN int explored_compare_##strength##bits(volatile type *at, type *expected, type desired,      \
                                             int memory_order, int failure_order) {                \
    POINT(true, true, "compare-exchange", at, *expected, desired, memory_order);                   \
    type wanted = *expected;                                                                       \
    if (is_weak) {                                                                                 \
      call.may_fail = may && interlock_explored_exchange_may_fail(PLACE, false, true);             \
      *expected = weak_compare##bits(&call, wanted, desired, memory_order, failure_order);         \
    } else if (may && fails_by_itself(&call, PERFORM##_load(at) == wanted, false, true)) {         \
      load##bits(at, failure_order, PLACE);                                                        \
    } else {                                                                                       \
      compare##bits(at, expected, desired, memory_order, failure_order, PLACE);                    \
    }                                                                                              \
    bool done = *expected == wanted && !call.has_failed;                                           \
    interlock_explored_atomic_was(&call, name_of_exchange(&call, done));                           \
    if (call.has_failed) interlock_explored_exchange_failed(PLACE);                                \
    return done;                                                                                   \
  }                                                                                                \
  EXPORTED int __tsan_atomic##bits##_compare_exchange_##strength(                                  \
      volatile type *at, type *expected, type desired, int memory_order, int failure_order) {      \
    TO_TWIN(explored_compare_##strength##bits(at, expected, desired, memory_order,                 \
                                              failure_order));                                     \
    return compare##bits(at, expected, desired, memory_order, failure_order, PLACE);               \
  }

#define ATOMIC(bits, type, COMPARED, PERFORM)                                                      \
  static inline type load##bits(const volatile type *at, int memory_order, uintptr_t place) {      \
    before(at, sizeof(type), false, memory_order, place);                                          \
    type value = PERFORM##_load(at);                                                               \
    after(at, memory_order);                                                                       \
    return value;                                                                                  \
  }                                                                                                \
  TWIN type explored_load##bits(const volatile type *at, int memory_order) {                       \
    POINT(true, false, "atomic load", at, 0, 0, memory_order);                                     \
    type value = is_weak ? (type)interlock_weak_load(&call, memory_order)                          \
                         : load##bits(at, memory_order, PLACE);                                    \
    interlock_explored_atomic_was(&call, NULL);                                                    \
    return value;                                                                                  \
  }                                                                                                \
  EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int memory_order) {            \
    if (is_explored() && !is_own(at)) {                                                            \
      __attribute__((musttail)) return explored_load##bits(at, memory_order);                      \
    }                                                                                              \
    return load##bits(at, memory_order, PLACE);                                                    \
  }                                                                                                \
  static inline void store##bits(volatile type *at, type value, int memory_order,                  \
                                 uintptr_t place) {                                                \
    before(at, sizeof(type), true, memory_order, place);                                           \
    PERFORM##_store(at, value);                                                                    \
  }                                                                                                \
  TWIN void explored_store##bits(volatile type *at, type value, int memory_order) {                \
    POINT(false, true, "atomic store", at, 0, 0, memory_order);                                    \
    if (is_weak) {                                                                                 \
      interlock_weak_store(&call, value, memory_order);                                            \
    } else {                                                                                       \
      store##bits(at, value, memory_order, PLACE);                                                 \
    }                                                                                              \
    interlock_explored_atomic_was(&call, NULL);                                                    \
  }                                                                                                \
  EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value,                         \
                                            int memory_order) {                                    \
    TO_TWIN(explored_store##bits(at, value, memory_order));                                        \
    store##bits(at, value, memory_order, PLACE);                                                   \
  }                                                                                                \
  CHANGE(bits, type, exchange, "atomic exchange", PERFORM##_exchange)                              \
  CHANGE(bits, type, fetch_add, "atomic add", PERFORM##_fetch_add)                                 \
  CHANGE(bits, type, fetch_sub, "atomic subtract", PERFORM##_fetch_sub)                            \
  CHANGE(bits, type, fetch_or, "atomic or", PERFORM##_fetch_or)                                    \
  CHANGE(bits, type, fetch_and, "atomic and", PERFORM##_fetch_and)                                 \
  CHANGE(bits, type, fetch_xor, "atomic exclusive or", PERFORM##_fetch_xor)                        \
  CHANGE(bits, type, fetch_nand, "atomic nand", PERFORM##_fetch_nand)                              \
  static inline type weak_compare##bits(interlock_atomic_call *call, type expected,                \
                                        type desired, int memory_order, int failure_order) {       \
    interlock_wide found = expected;                                                               \
    interlock_weak_exchange(call, &found, desired, memory_order, failure_order);                   \
    return (type)found;                                                                            \
  }                                                                                                \
  static inline bool compare##bits(volatile type *at, type *expected, type desired,                \
                                   int memory_order, int failure_order, uintptr_t place) {         \
    type found = PERFORM##_load(at);                                                               \
    if (found != *expected) {                                                                      \
      before(at, sizeof(type), false, failure_order, place);                                       \
      after(at, failure_order);                                                                    \
      *expected = found;                                                                           \
      return false;                                                                                \
    }                                                                                              \
    before(at, sizeof(type), releases(memory_order), memory_order, place);                         \
    bool done = PERFORM##_compare(at, expected, desired);                                          \
    if (done && !releases(memory_order)) before(at, sizeof(type), true, relaxed, place);           \
    after(at, done ? memory_order : failure_order);                                                \
    return done;                                                                                   \
  }                                                                                                \
  static inline type compare_lock##bits(volatile type *at, type expected, type desired,            \
                                        int memory_order, int failure_order,                       \
                                        interlock_mutex_use use, uintptr_t place) {                \
    type wanted = expected;                                                                        \
    (void)wanted;                                                                                  \
    type found = use == INTERLOCK_MUTEX_NONE ? PERFORM##_load(at) : expected;                      \
    if (found != expected) {                                                                       \
      before(at, sizeof(type), false, failure_order, place);                                       \
      after(at, failure_order);                                                                    \
      return found;                                                                                \
    }                                                                                              \
    if (COMPARED##_unlocks(at, expected, desired, place)) memory_order = relaxed;                  \
    before(at, sizeof(type), releases(memory_order), memory_order, place);                         \
    bool done = PERFORM##_compare(at, &expected, desired);                                         \
    if (use != INTERLOCK_MUTEX_NONE) interlock_explored_mutex_did(use, (uint32_t *)at, done);      \
    if (done && COMPARED##_locks(at, wanted, desired, place)) return expected;                     \
    if (done && !releases(memory_order)) {                                                         \
      before(at, sizeof(type), true, relaxed, place);                                              \
    }                                                                                              \
    after(at, done ? memory_order : failure_order);                                                \
    return expected;                                                                               \
  }                                                                                                \
  TWIN type explored_compare##bits(volatile type *at, type expected, type desired,                 \
                                   int memory_order, int failure_order) {                          \
    interlock_mutex_use use = COMPARED##_asks(at, PLACE);                                          \
    if (use != INTERLOCK_MUTEX_NONE) {                                                             \
      return compare_lock##bits(at, expected, desired, memory_order, failure_order, use,           \
                                PLACE);                                                            \
    }                                                                                              \
    interlock_explored_exchange(PLACE, sizeof *at > 8);                                            \
    POINT(true, true, "compare-exchange", at, expected, desired, memory_order);                    \
    type wanted = expected;                                                                        \
    if (is_weak) {                                                                                 \
      call.may_fail = interlock_explored_exchange_may_fail(PLACE, expected == 0, false);           \
      expected = weak_compare##bits(&call, expected, desired, memory_order, failure_order);        \
    } else if (fails_by_itself(&call, PERFORM##_load(at) == expected, expected == 0, false)) {     \
      load##bits(at, failure_order, PLACE);                                                        \
    } else {                                                                                       \
      expected = compare_lock##bits(at, expected, desired, memory_order, failure_order, use,       \
                                    PLACE);                                                        \
    }                                                                                              \
    interlock_explored_atomic_was(&call, name_of_exchange(&call, expected == wanted));             \
    if (call.has_failed) return_as_failed(&call);                                                  \
    return expected;                                                                               \
  }                                                                                                \
  EXPORTED type __tsan_atomic##bits##_compare_exchange_val(                                        \
      volatile type *at, type expected, type desired, int memory_order, int failure_order) {       \
    TO_TWIN(explored_compare##bits(at, expected, desired, memory_order, failure_order));           \
    return compare_lock##bits(at, expected, desired, memory_order, failure_order,                  \
                              INTERLOCK_MUTEX_NONE, PLACE);                                        \
  }                                                                                                \
  COMPARE_BY(bits, type, strong, false, PERFORM)                                                   \
  COMPARE_BY(bits, type, weak, true, PERFORM)


#define never_asks(at, place) INTERLOCK_MUTEX_NONE
#define never_locks(at, expected, desired, place) false
#define never_unlocks(at, expected, desired, place) false
#define maybe_asks(at, place)                                                                      \
  interlock_mutex_asks(INTERLOCK_MUTEX_NONE, (uint32_t *)(uintptr_t)(at), place)
#define maybe_locks(at, expected, desired, place)                                                  \
  interlock_mutex_is_locked((uintptr_t)(at), expected, desired, place)
#define maybe_unlocks(at, expected, desired, place)                                                \
  interlock_mutex_unlocks((uintptr_t)(at), expected, desired, place)

ATOMIC(8, uint8_t, never, plain)
ATOMIC(16, uint16_t, never, plain)
ATOMIC(32, uint32_t, maybe, plain)
ATOMIC(64, uint64_t, never, plain)
ATOMIC(128, wide, never, wide)

EXPORTED void __tsan_atomic_thread_fence(int memory_order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (is_explored() && interlock_weak_fence(memory_order)) return;
  memory_thread *own = own_memory();
  if (!own) return;
  if (releases(memory_order)) fences.has_released = true;
  if (!acquires(memory_order)) return;
  if (fences.load_count > most_loads) {
    // More loads than the list holds: come after everything, which can only hide a race.
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
