// What tests change of the harness, by the environment of the child: these functions are weak references there.
#include <stdint.h>
#include <stdlib.h>

uint64_t interlock_test_first_count(void);
uint64_t interlock_test_first_count(void) {
  const char *count = getenv("SYNC_EVENTS_FIRST_COUNT");
  return count ? strtoull(count, NULL, 0) : 0;
}
