// The ends of awaited calls, and the bodies that such calls run. The stubs are here, because the
// functions that they call are; the stubs of the begins are in await_doors.c.
#include "await_calls.h"
#include "await_table.h"
#include "await_ends.h"
#include "../Concurrency/controlled_tasks.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

uint32_t interlock_blind_count;

bool interlock_events_task_is_blind(const void *task) {
  // Relaxed: a task counts its own calls.
  return __atomic_load_n(&interlock_blind_count, __ATOMIC_RELAXED) > 0 &&
         interlock_await_find(key_of_blind((uintptr_t)task));
}

bool interlock_await_has_context(const interlock_async_context *context) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  if (found != UNKNOWN) return found == SO;
  ptrdiff_t shift = interlock_layout_shift(INTERLOCK_LAYOUT_CONTEXT);
  context = (const void *)((const char *)context + shift);
  uintptr_t parent = (uintptr_t)context->parent;
  return note_first(&look, parent % sizeof(uintptr_t) == 0 && !interlock_is_code(parent) &&
                               interlock_is_code(context->resume));
}

void interlock_await_fail(void) {
  static const char text[] =
      "interlock: a task resumes without a recorded wait: a fault of Interlock\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) __builtin_trap();
  __builtin_trap();
}

/// Removes the entry of the calling task's body, and returns a copy.
static pending_await taken_body(void) {
  pending_await *entry = interlock_await_find(key_of_body(current_task()));
  if (!entry) interlock_await_fail();
  pending_await was = *entry;
  interlock_await_remove(entry);
  return was;
}

/// Called when a body begins. The body's first argument is the address of its result, the second
/// the address of the group's reference. Returns the body's code.
CALLED uintptr_t interlock_body_begins(interlock_async_context *context,
                                       const uintptr_t *arguments) {
  pending_await was = taken_body();
  const async_function *body = (const async_function *)was.resume;
  pending_await *end = interlock_await_has_context(context)
                           ? interlock_await_put((uintptr_t)context, context->resume, was.kind)
                           : NULL;
  if (end) {
    end->task = was.task;
    end->awaited = was.kind == HANDLED_BODY ? 0 : *(const uintptr_t *)arguments[1];
    context->resume = (uintptr_t)interlock_await_ended;
  }
  return (uintptr_t)body + (uintptr_t)(intptr_t)body->distance;
}

/// Called when the body of a checked continuation begins. Its argument is the address of the
/// reference. Returns the body's code.
CALLED uintptr_t interlock_continuation_begins(const uintptr_t *arguments) {
  pending_await *entry = interlock_await_find(key_of_body(current_task()));
  if (!entry) interlock_await_fail();
  entry->awaited = interlock_task_of_checked(**(const uintptr_t *const *const *)arguments);
  return entry->resume;
}

/// Called when that body has ended, just before the runtime waits for the continuation.
CALLED void interlock_continuation_given(void) {
  pending_await was = taken_body();
  // If the layout of the continuation differs, the task is not known: there is no point before the
  // runtime's own wait.
  if (!is_task_explored() || was.awaited != current_task()) return;
  interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_CONTINUATION, 0,
                     (interlock_site){was.task, was.task});
}

/// Reaches the point after the body of a group's scope.
static void ask_rest(const pending_await *body, uintptr_t error) {
  interlock_task_call call = body->kind == FAILING_BODY ? INTERLOCK_TASK_CALL_AWAIT_FAILURE
                                                        : INTERLOCK_TASK_CALL_AWAIT_REST;
  if (body->kind != GROUP_BODY && error) call = INTERLOCK_TASK_CALL_CANCEL_REST;
  interlock_ask_task(call, body->awaited, (interlock_site){body->task, body->task});
}

/// Called when a call has ended; `error` is the thrown error, if the call may throw. Returns the
/// address at which the caller resumes.
CALLED uintptr_t interlock_call_ends(interlock_async_context *context, uintptr_t error) {
  pending_await *entry = interlock_await_find((uintptr_t)context);
  // This address is only stored together with an entry.
  if (!entry) interlock_await_fail();
  pending_await was = *entry;
  interlock_await_remove(entry);
  if (was.kind == TASK_END) {
    if (is_task_explored())
      interlock_ask_task(INTERLOCK_TASK_CALL_COMPLETE, was.task, (interlock_site){0});
    return was.resume;
  }
  if (was.kind == GROUP_BODY || was.kind == THROWING_BODY || was.kind == FAILING_BODY) {
    if (is_task_explored()) ask_rest(&was, error);
    return was.resume;
  }
  if (was.kind == HANDLED_BODY) {
    // The point comes before the runtime removes the handler.
    if (is_task_explored())
      interlock_ask_task(INTERLOCK_TASK_CALL_PAUSE, 0, (interlock_site){was.task, was.task});
    return was.resume;
  }
  if (interlock_await_ends_by_cancellation(was.kind) && is_task_explored()) {
    interlock_ask_task(INTERLOCK_TASK_CALL_RETURN, 0, (interlock_site){0});
  }
  uintptr_t task = current_task();
  if (was.is_waiting) interlock_suspension_ends(task, interlock_await_object_of(was.kind));
  // A checked continuation that was inlined into its caller is made like an unsafe one, and the
  // runtime resumes it without an interposed call: publish its release here.
  if (was.kind == UNSAFE_CONTINUATION && is_wanted(INTERLOCK_EVENT_RELEASE)) {
    interlock_event event = {.kind = INTERLOCK_EVENT_RELEASE,
                             .object_kind = INTERLOCK_OBJECT_CONTINUATION,
                             .object = (const void *)task};
    interlock_publish(&event);
  }
  if (was.is_blind) {
    interlock_await_remove(interlock_await_find(key_of_blind(task)));
    __atomic_fetch_sub(&interlock_blind_count, 1, __ATOMIC_RELAXED);
  }
  if (is_wanted(INTERLOCK_EVENT_TASK)) publish_task(INTERLOCK_TASK_RESUMES, task);
  return was.resume;
}

// The stubs.

#if defined(__x86_64__)

#define CALL_ENDS "movq %r14, %rdi\n movq %r12, %rsi\n callq interlock_call_ends\n"
#define BODY_BEGINS "movq %r14, %rdi\n movq %rsp, %rsi\n callq interlock_body_begins\n"
#define CONTINUATION_BODY                                                                 \
  "movq %rsp, %rdi\n callq interlock_continuation_begins\n movq %rax, %r11\n"              \
  "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %r8\n popq %r9\n popq %rax\n"      \
  "subq $8, %rsp\n callq *%r11\n callq interlock_continuation_given\n"                      \
  "addq $8, %rsp\n ret\n"

#else

#define CALL_ENDS "mov x0, x22\n mov x1, x21\n bl interlock_call_ends\n"
#define BODY_BEGINS "mov x0, x22\n add x1, sp, #16\n bl interlock_body_begins\n"
#define CONTINUATION_BODY                                                                 \
  "add x0, sp, #16\n bl interlock_continuation_begins\n mov x16, x0\n"                     \
  "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"                \
  "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n blr x16\n"                                  \
  "bl interlock_continuation_given\n ldp x29, x30, [sp], #96\n ret\n"

#endif

ENDING("interlock_await_ended", CALL_ENDS);
ENDING("interlock_group_body", BODY_BEGINS);

// Calls the body as its caller would, and returns to this code.
__asm__(".pushsection .text\n .hidden interlock_continuation_body\n"
        ".globl interlock_continuation_body\n .type interlock_continuation_body, %function\n"
        ".p2align 4\ninterlock_continuation_body:\n" KEEP CONTINUATION_BODY
        ".size interlock_continuation_body, . - interlock_continuation_body\n .popsection\n");

#else
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
#endif
#else
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
#endif
