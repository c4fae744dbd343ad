#ifndef INTERLOCK_FUZZ_DRIVER_H
#define INTERLOCK_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

// Calls the function with inputs until the limit of the options is reached. In C, because libFuzzer
// declares its driver only for C and C++.
int interlock_fuzz(int argc, char **argv, int (*read)(const uint8_t *data, size_t size));

#endif
