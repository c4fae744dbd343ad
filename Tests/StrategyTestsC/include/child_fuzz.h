/// Inputs for what a parent reads from the memory that it shares with an explored body's process.
#ifndef STRATEGY_TESTS_CHILD_FUZZ_H
#define STRATEGY_TESTS_CHILD_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  /// Inputs that were taken as what an engine writes, and inputs that were not.
  uint64_t accepted, refused;
  /// What was wrong with the reading of an input, and its number; NULL for nothing.
  const char *wrong;
  uint64_t wrong_number;
} child_fuzz;

/// False if this build does not explore.
bool child_fuzz_is_possible(void);
/// Results: whole ones, ones with a few words written over, and random pages.
void child_fuzz_results(uint64_t first, uint64_t count, child_fuzz *fuzz);
/// Logs of strategies: every 64th as it was written, the others with words written over.
void child_fuzz_logs(uint64_t first, uint64_t count, child_fuzz *fuzz);

#endif
