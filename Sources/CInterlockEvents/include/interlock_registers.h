/// Macros for redirected code, which must keep all registers that may have values. Not part of the
/// module; included by the C targets only.
#ifndef INTERLOCK_REGISTERS_H
#define INTERLOCK_REGISTERS_H

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdbool.h>

/// Saves the vector registers on the stack by the processor's own instruction, as the dynamic
/// linker does for a function's first call. Changes the registers rax, rdx and rsp. The mask
/// selects the vectors of SSE, AVX and AVX-512, which end below 2,752 bytes on every processor. The
/// header must be 0 before the first use.
#define INTERLOCK_KEEP_VECTORS  \
  "sub $2752, %rsp\n"           \
  "and $-64, %rsp\n"            \
  "xor %edx, %edx\n"            \
  "mov %rdx, 512(%rsp)\n"       \
  "mov %rdx, 520(%rsp)\n"       \
  "mov %rdx, 528(%rsp)\n"       \
  "mov %rdx, 536(%rsp)\n"       \
  "mov %rdx, 544(%rsp)\n"       \
  "mov %rdx, 552(%rsp)\n"       \
  "mov %rdx, 560(%rsp)\n"       \
  "mov %rdx, 568(%rsp)\n"       \
  "mov $0xe6, %eax\n"           \
  "xsave64 (%rsp)\n"

/// Restores the vector registers. rsp must be as `INTERLOCK_KEEP_VECTORS` left it. Changes the
/// registers rax and rdx.
#define INTERLOCK_RESTORE_VECTORS \
  "xor %edx, %edx\n"              \
  "mov $0xe6, %eax\n"             \
  "xrstor64 (%rsp)\n"

/// True if the system enables the processor's instruction for saving vectors.
static inline bool interlock_can_keep_vectors(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

#endif
#endif
