/// Random inputs for the code that reads the memory shared with an explored body's process.
#ifndef STRATEGY_TESTS_CHILD_FUZZ_H
#define STRATEGY_TESTS_CHILD_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  /// The numbers of inputs that the reader accepted as an engine's output, and that it refused.
  uint64_t accepted, refused;
  /// The fault in the reading of an input, and the number of the input; NULL if there is none.
  const char *wrong;
  uint64_t wrong_number;
} child_fuzz;

/// False if this build does not explore.
bool child_fuzz_is_possible(void);
/// Results: unchanged ones, ones with a few changed words, and random pages.
void child_fuzz_results(uint64_t first, uint64_t count, child_fuzz *fuzz);
/// Logs of strategies: every 64th is unchanged, the others have changed words.
void child_fuzz_logs(uint64_t first, uint64_t count, child_fuzz *fuzz);

#endif
