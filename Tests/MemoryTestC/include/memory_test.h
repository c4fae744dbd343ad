/// Small programs in C for the check of races in memory, each by its name: `overlap.racy`.
#ifndef INTERLOCK_MEMORY_TEST_H
#define INTERLOCK_MEMORY_TEST_H

#include <stdbool.h>
#include <stddef.h>

/// Runs a program; returns false if there is none of this name.
bool memory_test_run(const char *name);
/// The name of a program; NULL past the last.
const char *memory_test_name(size_t index);

// Not instrumented: what the one does before it has given comes before what the other does after it
// has found that, but that order is not seen.
void memory_test_give(int *flag);
bool memory_test_is_given(const int *flag);

#endif
