// The switch between logical threads on x86-64: registers, stack and FS base, about 35 ns.
#include "../stacks.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

// The switch ends with a jump, not a return: the processor predicts returns from calls, and would
// mispredict here.
__asm__(
    ".text\n"
    ".globl interlock_platform_switch\n"
    ".hidden interlock_platform_switch\n"
    ".type interlock_platform_switch, @function\n"
    "interlock_platform_switch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  subq $8, %rsp\n"
    "  stmxcsr (%rsp)\n"
    "  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  wrfsbase %rdx\n"
    "  ldmxcsr (%rsp)\n"
    "  fldcw 4(%rsp)\n"
    "  addq $8, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  popq %rcx\n"
    "  jmpq *%rcx\n"
    ".size interlock_platform_switch, . - interlock_platform_switch\n");

void *interlock_platform_prepare(uintptr_t top, void (*function)(void)) {
  uintptr_t *at = (uintptr_t *)(top & ~(uintptr_t)63);
  // Push a return address of 0, which ends walks of the stack, then the address at which the switch
  // continues, and the six registers.
  *--at = 0;
  *--at = (uintptr_t)function;
  for (int saved = 0; saved < 6; saved++) *--at = 0;
  // The floating-point control words that a process begins with.
  uint32_t *control = (uint32_t *)--at;
  control[0] = 0x1f80;
  control[1] = 0x037f;
  return at;
}

/// True if the kernel keeps a shadow stack for this thread: returns on another stack would trap.
static bool has_shadow_stack(void) {
  enum { shadow_stack_status = 0x5005, is_enabled = 1 };
  unsigned long features = 0;
  return syscall(SYS_arch_prctl, shadow_stack_status, &features) == 0 && (features & is_enabled);
}

bool interlock_platform_can_switch(void) {
  enum { hwcap2_fsgsbase = 1 << 1 };
  return (getauxval(AT_HWCAP2) & hwcap2_fsgsbase) && !has_shadow_stack();
}

#endif
