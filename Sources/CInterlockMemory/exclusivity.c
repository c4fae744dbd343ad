// Changes of properties and variables, as the code announces them to Swift's check of exclusive
// access. They show a change that a function of the runtime makes, which is not instrumented, such
// as the replacement of an existential.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

// See accesses.c.
#pragma clang section text = "interlock_accesses"

#include <dlfcn.h>

typedef void begin_call(void *, void *, uintptr_t, void *);

/// True if the innermost instrumented call makes this call. Calls of code that is not instrumented
/// are left out, because unseen operations may order them.
static inline bool is_instrumented(const memory_thread *own, uintptr_t stack) {
  uint32_t depth = own->depth;
  return depth > 0 && depth <= most_frames && own->frames[depth - 1].stack == stack;
}

// Weak: with a static standard library, its own definition is used.
__attribute__((weak, visibility("default"))) void swift_beginAccess(void *at, void *buffer,
                                                                    uintptr_t flags,
                                                                    void *place) {
  static begin_call *known;
  enum { modifies = 1 };
  // Relaxed: threads that look it up at the same time find the same address.
  begin_call *real = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (__builtin_expect(!real, 0)) {
    real = (begin_call *)dlsym(RTLD_NEXT, "swift_beginAccess");
    __atomic_store_n(&known, real, __ATOMIC_RELAXED);
  }
  const memory_thread *own = interlock_memory_own;
  if (own && (flags & modifies) &&
      is_instrumented(own, (uintptr_t)__builtin_frame_address(0))) {
    check_access((uintptr_t)at, 1, CELL_WRITES, PLACE);
  }
  // A jump, because the runtime takes the return address for the place of the access.
  __attribute__((musttail)) return real(at, buffer, flags, place);
}

#endif
