// Entry stubs (doors) of the runtime's asynchronous functions: a few instructions each, which
// preserve every register of the call.
#include "awaited_entries.h"
#include "../doors.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

#if defined(__x86_64__)

#define CALL_BEGINS(number)                                                               \
  "movq %r14, %rdi\n movl $" number ", %esi\n movq %rsp, %rdx\n movq %r13, %rcx\n "  \
  "callq interlock_call_begins\n"
#define CONTINUATION_AWAITED "callq interlock_continuation_reached\n"

#else

#define CALL_BEGINS(number)                                                               \
  "mov x0, x22\n mov w1, #" number "\n add x2, sp, #16\n mov x3, x20\n "        \
  "bl interlock_call_begins\n"
#define CONTINUATION_AWAITED "bl interlock_continuation_reached\n"

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

#endif
#endif
