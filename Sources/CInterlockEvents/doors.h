// Macros for entry stubs (doors): a few instructions that preserve every register of a call.
// Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_DOORS_H
#define INTERLOCK_DOORS_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

/// Marks functions that the assembly of a door calls, which the compiler does not see.
#define CALLED __attribute__((used)) HIDDEN

/// Returns the real function of a door, and keeps it once it is found.
static inline uintptr_t find_real(uintptr_t *known, const char *name) {
  // Relaxed: see REAL.
  uintptr_t real = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!real) {
    real = (uintptr_t)interlock_find_real(name);
    __atomic_store_n(known, real, __ATOMIC_RELAXED);
  }
  return real;
}

#if defined(__x86_64__)

// Pushes seven registers, the arguments in order, which aligns the stack for a call, with the
// return address. C code preserves r14 (the context), r12 (an error) and r13 (`self`).
#define KEEP                                                                              \
  "pushq %rax\n pushq %r9\n pushq %r8\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n"
#define PUT_BACK_AND_GO                                                                   \
  "movq %rax, %r11\n"                                                                     \
  "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %r8\n popq %r9\n popq %rax\n"      \
  "jmpq *%r11\n"
/// Passes the saved arguments and a number to a C function, which returns the address to jump to.
#define ASK(function, number)                                                             \
  "movq %rsp, %rdi\n movl $" number ", %esi\n callq " function "\n"
/// The same for a call that may have floating-point arguments.
#define ASK_KEEPING_FLOATS(function, number)                                              \
  "subq $16, %rsp\n movsd %xmm0, (%rsp)\n movsd %xmm1, 8(%rsp)\n leaq 16(%rsp), %rdi\n"    \
  "movl $" number ", %esi\n callq " function "\n"                                         \
  "movsd (%rsp), %xmm0\n movsd 8(%rsp), %xmm1\n addq $16, %rsp\n"

#else

// C code preserves x22 (the context), x20 (`self`) and x21 (an error).
#define KEEP                                                                              \
  "stp x29, x30, [sp, #-96]!\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"            \
  "stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"
#define PUT_BACK_AND_GO                                                                   \
  "mov x16, x0\n"                                                                         \
  "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"                \
  "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n ldp x29, x30, [sp], #96\n"                  \
  "br x16\n"
#define ASK(function, number)                                                             \
  "add x0, sp, #16\n mov w1, #" number "\n bl " function "\n"
#define ASK_KEEPING_FLOATS(function, number)                                              \
  "stp d0, d1, [sp, #-16]!\n add x0, sp, #32\n mov w1, #" number "\n bl " function "\n"   \
  "ldp d0, d1, [sp], #16\n"

#endif

#define DOOR(name, begin)                                                                 \
  __asm__(".pushsection .text\n"                                                          \
          ".weak \"" name "\"\n .type \"" name "\", %function\n .p2align 4\n"              \
          "\"" name "\":\n" KEEP begin PUT_BACK_AND_GO                                     \
          ".size \"" name "\", . - \"" name "\"\n .popsection\n");

/// A stub that runs at the end of a call, whose caller resumes at it.
#define ENDING(name, end)                                                                 \
  __asm__(".pushsection .text\n"                                                          \
          ".hidden " name "\n .globl " name "\n .type " name ", %function\n .p2align 4\n"  \
          name ":\n" KEEP end PUT_BACK_AND_GO ".size " name ", . - " name "\n .popsection\n")

#endif
#endif
