#include "interlock_watchdog.h"

#include <stdlib.h>

#include "interlock_runtime.h"
#include "interlock_stack_capture.h"

// Runs before the constructors without a priority, one of which reads the options.
__attribute__((constructor(101))) static void declare_options(void) {
  static interlock_options options = {interlock_watchdog_declare_options, NULL};
  interlock_declare_options(&options);
  static interlock_options of_tests;
  of_tests.declare = interlock_testing_declare_options;
  if (of_tests.declare) interlock_declare_options(&of_tests);
}

// Runs after the constructors without a priority, such as those of the runtime's C++ parts in this
// executable.
__attribute__((constructor(65535))) static void start(void) {
  interlock_watchdog_note_quit();
  interlock_follow_tests();
  // Called before the first task: a wait table that starts later does not know the waits of earlier
  // tasks.
  if (interlock_testing_starts) interlock_testing_starts();
  const char *options = getenv("INTERLOCK_OPTIONS");
  bool has_options = options && *options;
  if (has_options) interlock_read_options();
  // Called first, so that its exit handler runs last. A CI service reads reports without options.
  interlock_report_start_from_environment();
  if (!has_options) return;
  // Prediction starts first, because it does not follow objects made before.
  interlock_prediction_start_from_environment();
  interlock_watchdog_start_from_environment();
  interlock_leaks_start_from_environment();
}

void *interlock_watchdog_stack_area(unsigned slots) {
  interlock_stack_area *area =
      calloc(1, sizeof(interlock_stack_area) + slots * sizeof(interlock_stack_slot));
  if (area) area->capacity = slots;
  return area;
}
