/// Small C programs for the check of races in memory, each with a name such as `overlap.racy`.
#ifndef INTERLOCK_MEMORY_TEST_H
#define INTERLOCK_MEMORY_TEST_H

#include <stdbool.h>
#include <stddef.h>

/// Runs a program; returns false if no program has this name.
bool memory_test_run(const char *name);
/// The name of a program; NULL past the last.
const char *memory_test_name(size_t index);

// Not instrumented, so the check does not see this order: what a thread does before it gives
// happens before what another thread does after it has seen the flag.
void memory_test_give(int *flag);
bool memory_test_is_given(const int *flag);

#endif
