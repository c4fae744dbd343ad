#include "interlock_watchdog.h"

#include <stdlib.h>

#include "interlock_child.h"
#include "interlock_runtime.h"

// Before the constructors without a priority, one of which reads the options.
__attribute__((constructor(101))) static void declare_options(void) {
  static interlock_options options = {interlock_watchdog_declare_options, NULL};
  interlock_declare_options(&options);
}

// After the constructors without a priority, among them those of the C++ parts of the runtime in
// this executable.
__attribute__((constructor(65535))) static void start(void) {
  interlock_follow_tests();
  const char *options = getenv("INTERLOCK_OPTIONS");
  // Nothing is touched where nobody asks.
  if (!options || !*options) return;
  interlock_read_options();
  // First: what is made before it starts is not followed.
  interlock_prediction_start_from_environment();
  interlock_watchdog_start_from_environment();
}

void *interlock_watchdog_stack_area(unsigned slots) {
  interlock_stack_area *area =
      calloc(1, sizeof(interlock_stack_area) + slots * sizeof(interlock_stack_slot));
  if (area) area->capacity = slots;
  return area;
}
