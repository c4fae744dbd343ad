// Entry stubs (doors) of the runtime's asynchronous functions: a few instructions each, which
// preserve every register of the call.
#include "awaited_entries.h"
#include "doors.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

#if defined(__x86_64__)

#define CALL_BEGINS(number)                                                               \
  "movq %r14, %rdi\n movl $" number ", %esi\n movq %rsp, %rdx\n movq %r13, %rcx\n "  \
  "callq interlock_call_begins\n"
#define CALL_ENDS "movq %r14, %rdi\n movq %r12, %rsi\n callq interlock_call_ends\n"
#define BODY_BEGINS "movq %r14, %rdi\n movq %rsp, %rsi\n callq interlock_body_begins\n"
#define SWITCH_ENDS "callq interlock_switch_ends\n"
#define CONTINUATION_AWAITED "callq interlock_continuation_reached\n"
#define CONTINUATION_BODY                                                                 \
  "movq %rsp, %rdi\n callq interlock_continuation_begins\n movq %rax, %r11\n"              \
  "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %r8\n popq %r9\n popq %rax\n"      \
  "subq $8, %rsp\n callq *%r11\n callq interlock_continuation_given\n"                      \
  "addq $8, %rsp\n ret\n"

#else

#define CALL_BEGINS(number)                                                               \
  "mov x0, x22\n mov w1, #" number "\n add x2, sp, #16\n mov x3, x20\n "        \
  "bl interlock_call_begins\n"
#define CALL_ENDS "mov x0, x22\n mov x1, x21\n bl interlock_call_ends\n"
#define BODY_BEGINS "mov x0, x22\n add x1, sp, #16\n bl interlock_body_begins\n"
#define SWITCH_ENDS "bl interlock_switch_ends\n"
#define CONTINUATION_AWAITED "bl interlock_continuation_reached\n"
#define CONTINUATION_BODY                                                                 \
  "add x0, sp, #16\n bl interlock_continuation_begins\n mov x16, x0\n"                     \
  "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"                \
  "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n blr x16\n"                                  \
  "bl interlock_continuation_given\n ldp x29, x30, [sp], #96\n ret\n"

#endif

// Numbers the entries in the order of the table in interpose_awaits.c, by including the same list
// again.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
enum { first_counter = __COUNTER__ + 1 };
_Static_assert(first_counter == 1, "the doors count from here");
#define AWAITED(kind, name) DOOR(name, CALL_BEGINS("(" TEXT(__COUNTER__) " - 1)"))
#include "awaited_calls.h"
#undef AWAITED

DOOR("swift_continuation_await", CONTINUATION_AWAITED)

#define ENTRY_DOOR(number, kind, resume, name) DOOR(#name, ASK("interlock_switch_begins", #number))
ENTRIES(ENTRY_DOOR)

#define ENDING(name, end)                                                                 \
  __asm__(".pushsection .text\n"                                                          \
          ".hidden " name "\n .globl " name "\n .type " name ", %function\n .p2align 4\n"  \
          name ":\n" KEEP end PUT_BACK_AND_GO ".size " name ", . - " name "\n .popsection\n")

ENDING("interlock_await_ended", CALL_ENDS);
ENDING("interlock_switch_ended", SWITCH_ENDS);
ENDING("interlock_group_body", BODY_BEGINS);

// Calls the body as its caller would, and returns to this code.
__asm__(".pushsection .text\n .hidden interlock_continuation_body\n"
        ".globl interlock_continuation_body\n .type interlock_continuation_body, %function\n"
        ".p2align 4\ninterlock_continuation_body:\n" KEEP CONTINUATION_BODY
        ".size interlock_continuation_body, . - interlock_continuation_body\n .popsection\n");

#endif
#endif
