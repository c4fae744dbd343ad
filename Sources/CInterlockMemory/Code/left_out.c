// Replaces the calls that instrumented code makes for its accesses by no-operations before the
// program starts, if the environment switches the check off. With calls that return at once, a sort
// took 7 times as long as in a plain build.
#include "plain_code.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interlock_code.h"

// The functions without a result. The others, such as those of atomics and `memcpy`, also do the
// work itself.
#define OF_SIZE(kind)                                                                          \
  FUNCTION(__tsan_##kind##1)                                                                   \
  FUNCTION(__tsan_##kind##2)                                                                   \
  FUNCTION(__tsan_##kind##4)                                                                   \
  FUNCTION(__tsan_##kind##8)                                                                   \
  FUNCTION(__tsan_##kind##16)
#define OF_KIND(kind) OF_SIZE(kind) OF_SIZE(unaligned_##kind)
#define FUNCTIONS                                                                              \
  OF_KIND(read)                                                                                \
  OF_KIND(write)                                                                               \
  OF_KIND(read_write)                                                                          \
  OF_KIND(volatile_read)                                                                       \
  OF_KIND(volatile_write)                                                                      \
  FUNCTION(__tsan_read_range)                                                                  \
  FUNCTION(__tsan_write_range)                                                                 \
  FUNCTION(__tsan_external_read)                                                               \
  FUNCTION(__tsan_external_write)                                                              \
  FUNCTION(__tsan_vptr_read)                                                                   \
  FUNCTION(__tsan_vptr_update)                                                                 \
  FUNCTION(__tsan_func_entry)                                                                  \
  FUNCTION(__tsan_func_exit)

#define FUNCTION(name) void name(void);
FUNCTIONS
#undef FUNCTION

static int by_address(const void *one, const void *other) {
  uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)other;
  return (a > b) - (a < b);
}

enum { call_size = 5 };

/// The pages that are writable now.
typedef struct {
  uintptr_t from, to;
} open_pages;

static void close_pages(open_pages *open) {
  if (open->to) mprotect((void *)open->from, open->to - open->from, PROT_READ | PROT_EXEC);
  *open = (open_pages){0};
}

/// Replaces a call by a no-operation. Its code must not run yet. Returns false if the system
/// refuses.
static bool leave_out(uintptr_t returns_to, open_pages *open) {
  static const unsigned char nothing[call_size] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
  uintptr_t at = returns_to - call_size;
  if (at < open->from || returns_to > open->to) {
    close_pages(open);
    uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = at & ~(page_size - 1);
    uintptr_t to = (returns_to + page_size - 1) & ~(page_size - 1);
    if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    *open = (open_pages){from, to};
  }
  memcpy((void *)at, nothing, sizeof nothing);
  return true;
}

size_t interlock_memory_leave_out_calls(void) {
#define FUNCTION(name) (uintptr_t)name,
  uintptr_t functions[] = {FUNCTIONS};
#undef FUNCTION
  size_t count = sizeof functions / sizeof *functions;
  qsort(functions, count, sizeof *functions, by_address);
  size_t symbols = interlock_code_symbol_count();
  open_pages open = {0};
  size_t left_out = 0;
  bool is_writable = true;
  for (size_t index = 0; index < symbols && is_writable; index++) {
    interlock_code_function function;
    if (!interlock_code_function_at(index, &function)) continue;
    uintptr_t returns_to, target;
    for (size_t offset = 0;
         is_writable && interlock_code_next_call(&function, &offset, &returns_to, &target);) {
      if (target < functions[0] || target > functions[count - 1]) continue;
      if (!bsearch(&target, functions, count, sizeof target, by_address)) continue;
      is_writable = leave_out(returns_to, &open);
      if (is_writable) left_out++;
    }
  }
  close_pages(&open);
  return left_out;
}

#elif defined(INTERLOCK_INTERPOSES)

size_t interlock_memory_leave_out_calls(void) { return 0; }

#endif
