// The points of explored threads in the Swift Concurrency runtime: another thread may run before a
// task waits, resumes another task, cancels, or ends.
#include "controlled_tasks.h"
#include "../Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

const interlock_task_performer *interlock_tasks;

#if defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

void interlock_ask_task(interlock_task_call call, uintptr_t object, interlock_site site) {
  interlock_tasks->ask(call, object, interlock_task_that_calls(), site);
}

bool interlock_yields(uintptr_t place) {
  interlock_calling_task caller = interlock_task_that_calls();
  // The place is one byte before the return address: the code before the resume function may be
  // another function's. See `ask_entry`.
  return caller.task && interlock_tasks->yields(caller, (interlock_site){place, place + 1});
}

/// A task sleeps. Some functions of the library that sleep are compiled into the user's code,
/// without lines, so the frames of the call are the functions that wait for them.
static void ask_sleep(const interlock_async_context *context, interlock_site site) {
  const interlock_async_context *caller = context->parent;
  // The last word stays 0.
  uintptr_t frames[interlock_most_outer + 2] = {0};
  uintptr_t resumes_at = site.place;
  for (size_t index = 0; index <= interlock_most_outer && interlock_is_code(resumes_at); index++) {
    // The next part of a function begins on the line of the call. Add one byte, so that the address
    // counts as a return address.
    frames[index] = resumes_at + 1;
    resumes_at = caller ? caller->resume : 0;
    caller = caller ? caller->parent : NULL;
  }
  interlock_async_frames = frames;
  interlock_ask_task(INTERLOCK_TASK_CALL_SLEEP, 0, site);
  interlock_async_frames = NULL;
}

void interlock_ask_awaited(await_kind kind, const uintptr_t *arguments, const uintptr_t *object,
                           const interlock_async_context *context, uintptr_t place) {
  interlock_site site = {place, place};
  switch (kind) {
    case TASK: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT, arguments[1], site); break;
    // The methods of a group may change it, so `self` is the address of the group's reference.
    case GROUP: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_NEXT, *object, site); break;
    case GROUP_FAILURE:
      interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_FAILURE, *object, site);
      break;
    case GROUP_REST: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_REST, *object, site); break;
    case STREAM: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_STREAM, 0, site); break;
    // The awaits in a sequence's closure have points of their own.
    case SEQUENCE:
    case GROUP_SCOPE:
    case GROUP_BODY:
    case THROWING_BODY:
    case FAILING_BODY:
    case CONTINUATION_BODY:
    case HANDLED_BODY: break;
    case LOCAL_SCOPE:
      if (!interlock_is_testing(place)) interlock_tasks->bound_local();
      break;
    case CONTINUATION:
    case UNSAFE_CONTINUATION:
      interlock_ask_task(INTERLOCK_TASK_CALL_MAKE_CONTINUATION, 0, site);
      break;
    case YIELDS:
      interlock_ask_task(INTERLOCK_TASK_CALL_YIELD, 0, (interlock_site){place, place + 1});
      break;
    case SLEEP: ask_sleep(context, site); break;
    case TASK_END:
    case PLAIN: interlock_ask_task(INTERLOCK_TASK_CALL_PAUSE, 0, site); break;
  }
}

// Stubs for functions of the runtime that return: a few instructions each, which preserve every
// register.

typedef enum {
  CANCELS,
  TESTS,
  TESTS_OWN,
  CANCELS_GROUP,
  RESUMES,
  FEEDS,
  BINDS,
  TESTS_GROUP,
  /// Depends on a task's priority. No priority of an explored task escalates.
  SEES_PRIORITY,
  /// Adds a task to a group, with a test whether the group is cancelled, unless the second argument
  /// is true.
  ADDS
} returning_kind;

#define RETURNING_CALLS(CALL)                                                             \
  CALL(0, CANCELS, "$sScT6cancelyyF")                                                     \
  CALL(1, TESTS, "$sScT11isCancelledSbvg")                                                \
  CALL(2, TESTS_OWN, "$sScTss5NeverORszABRs_rlE11isCancelledSbvgZ")                       \
  CALL(3, TESTS_OWN, "$sScTss5NeverORszABRs_rlE17checkCancellationyyKFZ")                 \
  CALL(4, CANCELS_GROUP, "$sScG9cancelAllyyF")                                            \
  CALL(5, CANCELS_GROUP, "$sScg9cancelAllyyF")                                            \
  CALL(6, TESTS_OWN, "$sScG11isCancelledSbvg")                                            \
  CALL(7, TESTS_OWN, "$sScg11isCancelledSbvg")                                            \
  CALL(8, RESUMES, "$sScC6resume9returningyxn_tF")                                        \
  CALL(9, RESUMES, "$sScC6resume8throwingyq_n_tF")                                        \
  CALL(10, FEEDS, "$sScS12ContinuationV5yieldyAB11YieldResultOyx__GxnF")                  \
  CALL(11, FEEDS, "$sScS12ContinuationV5yieldAB11YieldResultOyyt__GyytRszlF")             \
  CALL(12, FEEDS, "$sScS12ContinuationV5yield4withAB11YieldResultOyx__Gs0E0Oyxs5NeverOG_tF") \
  CALL(13, FEEDS, "$sScS12ContinuationV6finishyyF")                                       \
  CALL(14, FEEDS, "$sScs12ContinuationV5yieldyAB11YieldResultOyxq___GxnF")                \
  CALL(15, FEEDS, "$sScs12ContinuationV5yieldAB11YieldResultOyytq___GyytRszrlF")          \
  CALL(16, FEEDS, "$sScs12ContinuationV6finish8throwingyq_Sgn_tF")                        \
  CALL(17, TESTS_OWN, "swift_task_addCancellationHandler")                                \
  CALL(18, TESTS_OWN, "swift_task_removeCancellationHandler")                             \
  CALL(19, BINDS, "$ss9TaskLocalC9withValue_9operation4file4lineqd__x_qd__yKXESSSutKlF")  \
  CALL(20, FEEDS, "$sScS12ContinuationV13onTerminationyAB0C0Oyx__GYbcSgvs")               \
  CALL(21, FEEDS, "$sScS12ContinuationV13onTerminationyAB0C0Oyx__GYbcSgvg")               \
  CALL(22, FEEDS, "$sScs12ContinuationV13onTerminationyAB0C0Oyxq___GYbcSgvs")             \
  CALL(23, FEEDS, "$sScs12ContinuationV13onTerminationyAB0C0Oyxq___GYbcSgvg")             \
  CALL(24, FEEDS,                                                                         \
       "$sScs12ContinuationV5yield4withAB11YieldResultOyxs5Error_p__Gs0E0OyxsAG_pG_tsAG_pRs_rlF") \
  CALL(25, CANCELS, "$sSct6cancelyyF")                                                    \
  CALL(26, TESTS, "$sSct11isCancelledSbvg")                                               \
  CALL(27, CANCELS_GROUP, "$ss19DiscardingTaskGroupV9cancelAllyyF")                       \
  CALL(28, CANCELS_GROUP, "$ss27ThrowingDiscardingTaskGroupV9cancelAllyyF")               \
  CALL(29, TESTS_OWN, "$ss19DiscardingTaskGroupV11isCancelledSbvg")                       \
  CALL(30, TESTS_OWN, "$ss27ThrowingDiscardingTaskGroupV11isCancelledSbvg")               \
  CALL(31, ADDS, "swift_taskGroup_addPending")                                            \
  CALL(32, SEES_PRIORITY, "swift_task_addPriorityEscalationHandler")                      \
  CALL(33, SEES_PRIORITY, "$sScTss5NeverORszABRs_rlE15currentPriorityScPvgZ")             \
  CALL(34, TESTS_GROUP, "$ss19DiscardingTaskGroupV7isEmptySbvg")                          \
  CALL(35, TESTS_GROUP, "$ss27ThrowingDiscardingTaskGroupV7isEmptySbvg")

static const struct {
  const char *name;
  returning_kind kind;
} returning_calls[] = {
#define DESCRIBED(number, kind, name) [number] = {name, kind},
    RETURNING_CALLS(DESCRIBED)
#undef DESCRIBED
};

/// `first` and `second` are the first arguments; in a task's methods, `first` is the task. `object`
/// is `self` of a method of a generic structure. Returns the address to jump to.
__attribute__((used)) HIDDEN uintptr_t interlock_returning_call(uintptr_t first, uint32_t number,
    uintptr_t returns_to, const uintptr_t *object, uintptr_t second) {
  static uintptr_t known[sizeof returning_calls / sizeof *returning_calls];
  // Relaxed: see REAL.
  uintptr_t real = __atomic_load_n(&known[number], __ATOMIC_RELAXED);
  if (!real) {
    real = (uintptr_t)interlock_find_real(returning_calls[number].name);
    __atomic_store_n(&known[number], real, __ATOMIC_RELAXED);
  }
  if (!is_task_explored()) return real;
  interlock_site site = {returns_to, returns_to};
  switch (returning_calls[number].kind) {
    case CANCELS: interlock_ask_task(INTERLOCK_TASK_CALL_CANCEL, first, site); break;
    case TESTS: interlock_ask_task(INTERLOCK_TASK_CALL_TEST_CANCEL, first, site); break;
    case TESTS_OWN: interlock_ask_task(INTERLOCK_TASK_CALL_TEST_CANCEL, 0, site); break;
    case CANCELS_GROUP: interlock_ask_task(INTERLOCK_TASK_CALL_CANCEL, 0, site); break;
    case RESUMES:
      interlock_ask_task(INTERLOCK_TASK_CALL_RESUME,
                         interlock_task_of_checked((const uintptr_t *)*object), site);
      break;
    case FEEDS: interlock_ask_task(INTERLOCK_TASK_CALL_FEED, 0, site); break;
    case BINDS:
      if (!interlock_is_testing(returns_to)) interlock_tasks->bound_local();
      break;
    case TESTS_GROUP: interlock_ask_task(INTERLOCK_TASK_CALL_TEST_GROUP, first, site); break;
    case SEES_PRIORITY: interlock_posix->escaped("the escalation of a task's priority"); break;
    case ADDS:
      if (!(second & 1)) interlock_ask_task(INTERLOCK_TASK_CALL_TEST_CANCEL, 0, site);
      break;
  }
  return real;
}

// The first argument stays in its register. Pushing seven words aligns the stack for a call, with
// the return address.
#if defined(__x86_64__)
#define RETURNING_DOOR(number, kind, name)                                                       \
  __asm__(                                                                                       \
      ".pushsection .text\n .weak \"" name "\"\n .type \"" name "\", %function\n"                \
      ".p2align 4\n\"" name "\":\n"                                                              \
      "pushq %rax\n pushq %r9\n pushq %r8\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n" \
      "movq %rsi, %r8\n movl $" #number ", %esi\n movq 56(%rsp), %rdx\n movq %r13, %rcx\n"     \
      "callq interlock_returning_call\n movq %rax, %r11\n"                                       \
      "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %r8\n popq %r9\n popq %rax\n"        \
      "jmpq *%r11\n .size \"" name "\", . - \"" name "\"\n .popsection\n");
#else
#define RETURNING_DOOR(number, kind, name)                                              \
  __asm__(".pushsection .text\n .weak \"" name "\"\n .type \"" name "\", %function\n"   \
          ".p2align 4\n\"" name "\":\n"                                                 \
          "stp x29, x30, [sp, #-96]!\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n" \
          "stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"         \
          "mov x4, x1\n mov x3, x20\n mov x2, x30\n mov w1, #" #number "\n"            \
          "bl interlock_returning_call\n"                                              \
          "mov x16, x0\n ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n"               \
          "ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n"         \
          "ldp x29, x30, [sp], #96\n br x16\n .size \"" name "\", . - \"" name          \
          "\"\n .popsection\n");
#endif
RETURNING_CALLS(RETURNING_DOOR)

#endif
#endif
#endif
