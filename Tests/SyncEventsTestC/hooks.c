// Changes that tests make to the harness, by the environment of the child: the harness refers to
// these functions weakly.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "interlock_layouts.h"

uint64_t interlock_test_first_count(void);
uint64_t interlock_test_first_count(void) {
  const char *count = getenv("SYNC_EVENTS_FIRST_COUNT");
  return count ? strtoull(count, NULL, 0) : 0;
}

ptrdiff_t interlock_test_layout_shift(interlock_layout layout);
ptrdiff_t interlock_test_layout_shift(interlock_layout layout) {
  const char *asked = getenv("SYNC_EVENTS_LAYOUT");
  unsigned number;
  ptrdiff_t shift;
  bool is_asked = asked && sscanf(asked, "%u %td", &number, &shift) == 2 && number == layout;
  return is_asked ? shift : 0;
}
