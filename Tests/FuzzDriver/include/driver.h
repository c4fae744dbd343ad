#ifndef INTERLOCK_FUZZ_DRIVER_H
#define INTERLOCK_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

// Calls the function with inputs until the options say that it is enough. In C: libFuzzer declares
// its driver for C and C++ only.
int interlock_fuzz(int argc, char **argv, int (*read)(const uint8_t *data, size_t size));

#endif
