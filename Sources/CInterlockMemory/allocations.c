// Memory that is given back: what comes to be there next is new, and its accesses are ordered after
// the old ones by the allocator. While nothing is checked, a call costs one load and a branch.
#include "interlock_performer.h"
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#define INTERPOSED_CALL __attribute__((weak, visibility("default")))

typedef void free_call(void *);
typedef void *realloc_call(void *, size_t);
typedef int munmap_call(void *, size_t);
static free_call *real_free;
static realloc_call *real_realloc;
static munmap_call *real_munmap;

static inline bool was_on(void) {
  // Relaxed: memory that was freed before has no accesses.
  return __atomic_load_n(&interlock_memory_was_on, __ATOMIC_RELAXED);
}

/// The real functions, before any thread is started: `dlsym` itself allocates.
static __attribute__((noinline)) void find_calls(void) {
  static bool is_looking;
  if (is_looking) return;
  is_looking = true;
  real_realloc = (realloc_call *)dlsym(RTLD_NEXT, "realloc");
  real_munmap = (munmap_call *)dlsym(RTLD_NEXT, "munmap");
  real_free = (free_call *)dlsym(RTLD_NEXT, "free");
}
__attribute__((constructor(101))) static void prepare(void) {
  if (!real_free) find_calls();
}

static void forget_block(void *block) {
  interlock_block_ends((uintptr_t)block);
  size_t size = malloc_usable_size(block);
  interlock_forget_memory((uintptr_t)block, size);
  if (__builtin_expect(interlock_marks.controlled, 0)) {
    interlock_memory_point_freed((uintptr_t)block, size);
  }
}

INTERPOSED_CALL void free(void *block) {
  if (__builtin_expect(!real_free, 0)) {
    find_calls();
    // Called by the lookup itself: a few bytes are lost.
    if (!real_free) return;
  }
  if (__builtin_expect(was_on(), 0) && block) forget_block(block);
  __attribute__((musttail)) return real_free(block);
}

INTERPOSED_CALL void *realloc(void *block, size_t size) {
  if (__builtin_expect(!real_realloc, 0)) {
    find_calls();
    if (!real_realloc) return NULL;
  }
  if (!__builtin_expect(was_on(), 0) || !block) return real_realloc(block, size);
  // The block may be another thread's by the time that the call returns: forget it before. If it
  // does not move, its accesses so far are forgotten, which can only hide a race.
  forget_block(block);
  return real_realloc(block, size);
}

INTERPOSED_CALL int munmap(void *memory, size_t size) {
  if (__builtin_expect(!real_munmap, 0)) find_calls();
  if (__builtin_expect(was_on(), 0)) interlock_forget_memory((uintptr_t)memory, size);
  return real_munmap(memory, size);
}

#endif
