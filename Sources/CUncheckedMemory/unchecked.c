// The functions that instrumented code calls in an executable that checks nothing, and without
// ThreadSanitizer's runtime: where CInterlockMemory is not linked, and where the package trait
// `UnseenCalls` leaves the calls that order threads unseen. An atomic operation is a function of
// that interface too, so these functions perform it. Weak, so that the functions of
// CInterlockMemory have precedence if they are linked.
#include "unchecked_memory.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_RUNTIME 1
#endif
#endif

#ifndef HAS_RUNTIME

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((weak, visibility("default")))

EXPORTED void __tsan_init(void) {}

/// One function serves for all names, because the caller passes its parameters in registers.
__attribute__((weak, visibility("hidden"))) void unchecked_access(void) {}
#define NOTHING(name) \
  EXPORTED void __tsan_##name(void) __attribute__((alias("unchecked_access")));
#define ACCESSES(size)                                                      \
  NOTHING(read##size) NOTHING(write##size) NOTHING(read_write##size)        \
  NOTHING(volatile_read##size) NOTHING(volatile_write##size)                \
  NOTHING(unaligned_read##size) NOTHING(unaligned_write##size)              \
  NOTHING(unaligned_read_write##size) NOTHING(unaligned_volatile_read##size) \
  NOTHING(unaligned_volatile_write##size)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
NOTHING(read_range)
NOTHING(write_range)
NOTHING(external_read)
NOTHING(external_write)
NOTHING(vptr_read)
NOTHING(vptr_update)
NOTHING(func_entry)
NOTHING(func_exit)
NOTHING(ignore_thread_begin)
NOTHING(ignore_thread_end)

EXPORTED void *__tsan_memcpy(void *to, const void *from, size_t size) {
  return memcpy(to, from, size);
}
EXPORTED void *__tsan_memmove(void *to, const void *from, size_t size) {
  return memmove(to, from, size);
}
EXPORTED void *__tsan_memset(void *at, int value, size_t size) { return memset(at, value, size); }

EXPORTED void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
EXPORTED void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Sequentially consistent, which is at least as strong as asked.
#define CHANGE(bits, type, name, operation)                                              \
  EXPORTED type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) { \
    (void)order;                                                                         \
    return operation(at, value, __ATOMIC_SEQ_CST);                                       \
  }
#define ATOMIC(bits, type)                                                                    \
  EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int order) {              \
    (void)order;                                                                              \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                             \
  }                                                                                           \
  EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {       \
    (void)order;                                                                              \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                           \
  CHANGE(bits, type, exchange, __atomic_exchange_n)                                           \
  CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                           \
  CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                           \
  CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                             \
  CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                           \
  CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                           \
  CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                         \
  EXPORTED int __tsan_atomic##bits##_compare_exchange_strong(                                 \
      volatile type *at, type *expected, type desired, int order, int failure) {              \
    (void)order, (void)failure;                                                               \
    return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST,        \
                                       __ATOMIC_SEQ_CST);                                     \
  }                                                                                           \
  EXPORTED int __tsan_atomic##bits##_compare_exchange_weak(                                   \
      volatile type *at, type *expected, type desired, int order, int failure)                \
      __attribute__((alias("__tsan_atomic" #bits "_compare_exchange_strong")));               \
  EXPORTED type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected,  \
                                                           type desired, int order,           \
                                                           int failure) {                     \
    (void)order, (void)failure;                                                               \
    __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST,              \
                                __ATOMIC_SEQ_CST);                                            \
    return expected;                                                                          \
  }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
#endif
