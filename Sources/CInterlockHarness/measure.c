#include "interlock_measure.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__) || defined(__linux__)
#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#endif

void interlock_burn(uint64_t rounds) {
  uint64_t value = rounds;
  for (uint64_t round = 0; round < rounds; round++) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    // The result is unused; without this line the compiler would remove the loop.
    __asm__ volatile("" : "+r"(value));
  }
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define INTERLOCK_OTHER_ALLOCATOR 1
#endif
#endif

int64_t interlock_heap_bytes(void) {
#if defined(INTERLOCK_OTHER_ALLOCATOR)
  // A sanitizer's allocator does not report the bytes.
  return -1;
#elif defined(__APPLE__)
  malloc_statistics_t statistics;
  malloc_zone_statistics(0, &statistics);
  return (int64_t)statistics.size_in_use;
#elif defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 all = mallinfo2();
  return (int64_t)(all.uordblks + all.hblkhd);
#else
  return -1;
#endif
}
