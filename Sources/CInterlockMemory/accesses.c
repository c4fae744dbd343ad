// The functions that instrumented code calls at its accesses and function calls. Their names and
// parameters are ThreadSanitizer's.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

// In a separate section, which identifies calls of instrumented code to these functions
// (access_sites.c).
#pragma clang section text = "interlock_accesses"

#include <string.h>

#define READ ((shadow_cell)0)
#define WRITE CELL_WRITES

#define ACCESS(name, size)                                                                    \
  EXPORTED void __tsan_read##name(void *at) { check_access((uintptr_t)at, size, READ, PLACE); } \
  EXPORTED void __tsan_write##name(void *at) {                                                \
    check_access((uintptr_t)at, size, WRITE, PLACE);                                          \
  }                                                                                           \
  EXPORTED void __tsan_read_write##name(void *at) {                                           \
    check_access((uintptr_t)at, size, WRITE, PLACE);                                          \
  }                                                                                           \
  EXPORTED void __tsan_volatile_read##name(void *at) {                                        \
    check_access((uintptr_t)at, size, READ, PLACE);                                           \
  }                                                                                           \
  EXPORTED void __tsan_volatile_write##name(void *at) {                                       \
    check_access((uintptr_t)at, size, WRITE, PLACE);                                          \
  }                                                                                           \
  ALIAS(read, name) ALIAS(write, name) ALIAS(read_write, name)                                \
  ALIAS(volatile_read, name) ALIAS(volatile_write, name)
// The compiler may not know whether an access lies in two units, so the unaligned functions do the
// same.
#define ALIAS(kind, name)                                            \
  EXPORTED void __tsan_unaligned_##kind##name(void *at)              \
      __attribute__((alias("__tsan_" #kind #name)));
ACCESS(1, 1)
ACCESS(2, 2)
ACCESS(4, 4)
ACCESS(8, 8)

#define ACCESS_16(name, kind)                                              \
  EXPORTED void __tsan_##name##16(void *at) {                              \
    check_access((uintptr_t)at, 8, kind, PLACE);                           \
    check_access((uintptr_t)at + 8, 8, kind, PLACE);                       \
  }                                                                        \
  EXPORTED void __tsan_unaligned_##name##16(void *at)                      \
      __attribute__((alias("__tsan_" #name "16")));
ACCESS_16(read, READ)
ACCESS_16(write, WRITE)
ACCESS_16(read_write, WRITE)
ACCESS_16(volatile_read, READ)
ACCESS_16(volatile_write, WRITE)

EXPORTED void __tsan_read_range(void *at, size_t size) {
  interlock_memory_check_range((uintptr_t)at, size, READ, PLACE);
}
EXPORTED void __tsan_write_range(void *at, size_t size) {
  interlock_memory_check_range((uintptr_t)at, size, WRITE, PLACE);
}

// A change in place of a property whose type may be another module's: the property's first byte
// stands for the whole property. The compiler passes the caller, and a tag for the kind of object.

EXPORTED void __tsan_external_read(void *at, void *caller, void *tag) {
  (void)caller, (void)tag;
  check_access((uintptr_t)at, 1, READ, PLACE);
}
EXPORTED void __tsan_external_write(void *at, void *caller, void *tag) {
  (void)caller, (void)tag;
  check_access((uintptr_t)at, 1, WRITE, PLACE);
}

// The pointer to the virtual functions of a C++ object. Its write of the same value, by a
// constructor or destructor, is no change.

EXPORTED void __tsan_vptr_read(void **at) { check_access((uintptr_t)at, 8, READ, PLACE); }
EXPORTED void __tsan_vptr_update(void **at, void *value) {
  if (__atomic_load_n(at, __ATOMIC_RELAXED) != value) {
    check_access((uintptr_t)at, 8, WRITE, PLACE);
  }
}

EXPORTED void *__tsan_memcpy(void *to, const void *from, size_t size) {
  interlock_memory_check_range((uintptr_t)from, size, READ, PLACE);
  interlock_memory_check_range((uintptr_t)to, size, WRITE, PLACE);
  return memcpy(to, from, size);
}
EXPORTED void *__tsan_memmove(void *to, const void *from, size_t size) {
  interlock_memory_check_range((uintptr_t)from, size, READ, PLACE);
  interlock_memory_check_range((uintptr_t)to, size, WRITE, PLACE);
  return memmove(to, from, size);
}
EXPORTED void *__tsan_memset(void *at, int value, size_t size) {
  interlock_memory_check_range((uintptr_t)at, size, WRITE, PLACE);
  return memset(at, value, size);
}

// Calls.

/// True if an instrumented function was entered while nothing was checked.
static __thread bool has_entered __attribute__((tls_model("initial-exec")));

bool interlock_memory_is_instrumented_function(void (*function)(int *)) {
  int written = 0;
  has_entered = false;
  function(&written);
  return has_entered;
}

EXPORTED void __tsan_func_entry(void *returns_to) {
  memory_thread *own = own_memory();
  if (__builtin_expect(!own, 0)) {
    has_entered = true;
    return;
  }
  uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
  uint32_t depth = own->depth;
  // A frame below this one on the stack was left by `longjmp`.
  while (depth > 0 && depth <= most_frames && own->frames[depth - 1].stack <= stack) depth--;
  if (own->linked > depth) own->linked = depth;
  if (depth < most_frames) {
    memory_frame *frame = &own->frames[depth];
    // If a loop makes the same call again, keep the frame's node.
    if (frame->returns_to != (uintptr_t)returns_to) {
      frame->returns_to = (uintptr_t)returns_to;
      frame->node = 0;
    }
    frame->stack = stack;
  }
  own->depth = depth + 1;
}

EXPORTED void __tsan_func_exit(void) {
  memory_thread *own = interlock_memory_own;
  if (!own || own->depth == 0) return;
  if (holds_back(own) && own->depth <= own->held_back_depth) {
    interlock_memory_report_held_back(own);
  }
  own->depth--;
}

// Code that must not be checked: a `deinit`. It comes after every use of the object, because the
// reference count orders the last release after all others.

static __thread memory_thread *ignored __attribute__((tls_model("initial-exec")));

EXPORTED void __tsan_ignore_thread_begin(void) {
  if (interlock_memory_ignores++ > 0) return;
  ignored = own_memory();
  interlock_memory_own = NULL;
}
EXPORTED void __tsan_ignore_thread_end(void) {
  if (interlock_memory_ignores == 0 || --interlock_memory_ignores > 0) return;
  interlock_memory_own = ignored;
  ignored = NULL;
}

/// Called by the constructor of every instrumented file.
static bool is_instrumented;
EXPORTED void __tsan_init(void) {
  // Relaxed: the flag is only ever set.
  __atomic_store_n(&is_instrumented, true, __ATOMIC_RELAXED);
}
bool interlock_memory_is_instrumented(void) {
  return __atomic_load_n(&is_instrumented, __ATOMIC_RELAXED);
}

#endif
