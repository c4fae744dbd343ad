#include "driver.h"

// Defined in libFuzzer, which '-sanitize=fuzzer' links.
extern int LLVMFuzzerRunDriver(int *argc, char ***argv,
                               int (*read)(const uint8_t *data, size_t size));

int interlock_fuzz(int argc, char **argv, int (*read)(const uint8_t *data, size_t size)) {
  return LLVMFuzzerRunDriver(&argc, &argv, read);
}

// Never called. libFuzzer's own 'main', which is linked but not used, refers to it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return data == NULL && size > 0; }
