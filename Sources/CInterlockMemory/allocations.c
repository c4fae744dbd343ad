// Forgets the accesses of memory that is freed: the next object there is new, and the allocator
// orders its accesses after the old ones. While nothing is checked, a call costs one load and a
// branch.
#include "interlock_performer.h"
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#define INTERPOSED_CALL __attribute__((weak, visibility("default")))

typedef void free_call(void *);
typedef void *realloc_call(void *, size_t);
typedef int munmap_call(void *, size_t);
static free_call *real_free;
static realloc_call *real_realloc;
static munmap_call *real_munmap;
typedef void *mmap_call(void *, size_t, int, int, int, off_t);
typedef void *mremap_call(void *, size_t, size_t, int, ...);
static mmap_call *real_mmap;
static mremap_call *real_mremap;

static inline bool was_on(void) {
  // Relaxed: memory that was freed before the check began has no accesses.
  return __atomic_load_n(&interlock_memory_was_on, __ATOMIC_RELAXED);
}

/// Looks the real functions up before any thread is started, because `dlsym` itself allocates.
static __attribute__((noinline)) void find_calls(void) {
  static bool is_looking;
  if (is_looking) return;
  is_looking = true;
  real_realloc = (realloc_call *)dlsym(RTLD_NEXT, "realloc");
  real_munmap = (munmap_call *)dlsym(RTLD_NEXT, "munmap");
  real_mmap = (mmap_call *)dlsym(RTLD_NEXT, "mmap");
  real_mremap = (mremap_call *)dlsym(RTLD_NEXT, "mremap");
  real_free = (free_call *)dlsym(RTLD_NEXT, "free");
}
__attribute__((constructor(101))) static void prepare(void) {
  if (!real_free) find_calls();
}

/// Returns the size of the block.
static size_t forget_block(void *block) {
  interlock_block_ends((uintptr_t)block);
  size_t size = malloc_usable_size(block);
  interlock_forget_memory((uintptr_t)block, size);
  if (__builtin_expect(interlock_marks.controlled, 0)) {
    interlock_memory_point_freed((uintptr_t)block, size);
  }
  return size;
}

static void end_block(void *block) {
  size_t size = forget_block(block);
  // Not in `realloc`, which may leave an atomic where it is, nor with a mapping, which may show the
  // atomics of a file again.
  interlock_forget_atomics((uintptr_t)block, size);
}

INTERPOSED_CALL void free(void *block) {
  if (__builtin_expect(!real_free, 0)) {
    find_calls();
    // Only the look-up itself frees here: a few bytes are lost.
    if (!real_free) return;
  }
  if (__builtin_expect(was_on(), 0) && block) end_block(block);
  __attribute__((musttail)) return real_free(block);
}

INTERPOSED_CALL void *realloc(void *block, size_t size) {
  if (__builtin_expect(!real_realloc, 0)) {
    find_calls();
    if (!real_realloc) return NULL;
  }
  if (!__builtin_expect(was_on(), 0) || !block) return real_realloc(block, size);
  // Forget before the call, after which another thread may own the block. If the block does not
  // move, the accesses so far are forgotten, which can only hide a race.
  forget_block(block);
  return real_realloc(block, size);
}

INTERPOSED_CALL int munmap(void *memory, size_t size) {
  if (__builtin_expect(!real_munmap, 0)) find_calls();
  if (__builtin_expect(was_on(), 0)) interlock_forget_memory((uintptr_t)memory, size);
  return real_munmap(memory, size);
}

/// Forgets the accesses at the address of a new mapping. If the caller gives the address, before
/// the call: another thread may use the memory as soon as it is mapped. Otherwise after the call:
/// the C library ends its own mappings, such as a thread's stack, without an interposed call.
static void *map(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (__builtin_expect(!real_mmap, 0)) find_calls();
  if (!real_mmap) return errno = ENOMEM, MAP_FAILED;
  bool is_on = __builtin_expect(was_on(), 0), is_fixed = flags & MAP_FIXED;
  if (is_on && is_fixed) interlock_forget_memory((uintptr_t)address, size);
  void *made = real_mmap(address, size, protection, flags, file, offset);
  if (is_on && !is_fixed && made != MAP_FAILED) interlock_forget_memory((uintptr_t)made, size);
  return made;
}

INTERPOSED_CALL void *mmap(void *address, size_t size, int protection, int flags, int file,
                           off_t offset) {
  return map(address, size, protection, flags, file, offset);
}

/// The same function with an offset of 64 bits.
INTERPOSED_CALL void *mmap64(void *address, size_t size, int protection, int flags, int file,
                             off_t offset) {
  return map(address, size, protection, flags, file, offset);
}

/// Forgets the accesses at the address that a mapping may leave, and at its new address. A mapping
/// that does not move keeps its accesses.
INTERPOSED_CALL void *mremap(void *memory, size_t size, size_t new_size, int flags, ...) {
  void *target = NULL;
  if (flags & MREMAP_FIXED) {
    va_list arguments;
    va_start(arguments, flags);
    target = va_arg(arguments, void *);
    va_end(arguments);
  }
  if (__builtin_expect(!real_mremap, 0)) find_calls();
  if (!real_mremap) return errno = ENOMEM, MAP_FAILED;
  if (!__builtin_expect(was_on(), 0)) return real_mremap(memory, size, new_size, flags, target);
  uintptr_t address = (uintptr_t)memory;
  if (flags & MREMAP_MAYMOVE) {
    interlock_forget_memory(address, size);
  } else if (new_size < size) {
    interlock_forget_memory(address + new_size, size - new_size);
  }
  if (target) interlock_forget_memory((uintptr_t)target, new_size);
  void *made = real_mremap(memory, size, new_size, flags, target);
  if (made == MAP_FAILED || target) return made;
  if (made != memory) {
    interlock_forget_memory((uintptr_t)made, new_size);
  } else if (new_size > size) {
    interlock_forget_memory(address + size, new_size - size);
  }
  return made;
}

#endif
