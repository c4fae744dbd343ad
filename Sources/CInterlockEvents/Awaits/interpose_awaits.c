// Publishes where an `await` ends. A task that finds its awaited value ready continues at once, on
// its thread, and makes no other call that shows it; but it comes after the code that made the
// value ready. So stubs intercept the runtime's asynchronous functions: they save the address at
// which the caller resumes, and replace it by an address of Interlock's.
//
// Functions of Swift's asynchronous calling convention end with a jump, so the stubs are a few
// instructions that preserve every register of the call. Calls inside the runtime do not pass
// through them.
//
// The object for which a task waits, another task or an actor, is stored with the call, and the
// wait table lists it. The runtime's own entry points are in interpose_task_entries.c.
#include "await_calls.h"
#include "await_table.h"
#include "await_ends.h"
#include "../Concurrency/controlled_tasks.h"
#include "../Code/layouts.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

bool interlock_await_begins(interlock_async_context *context) {
  if (!interlock_await_has_context(context)) return false;
  if (context->resume == (uintptr_t)interlock_await_ended) return true;
  if (!interlock_await_put((uintptr_t)context, context->resume, UNSAFE_CONTINUATION)) return false;
  context->resume = (uintptr_t)interlock_await_ended;
  return true;
}

static const struct {
  const char *name;
  await_kind kind;
  /// For a function that runs a body: the index of that argument, and the kind of the body's end.
  uint32_t body;
  await_kind body_kind;
} calls[] = {
#define AWAITED(kind, name) {name, kind, 0, PLAIN},
#define AWAITED_BODY(kind, body, body_kind, name) {name, kind, body, body_kind},
#include "awaited_calls.h"
#undef AWAITED
};
enum { call_count = sizeof calls / sizeof *calls };

/// Intercepts the end of the call, if an event or an explored thread needs it.
static void intercept(interlock_async_context *context, await_kind kind,
                      const uintptr_t *arguments, bool is_explored) {
  bool is_wait = kind == CONTINUATION || kind == STREAM;
  bool is_event = is_wanted(INTERLOCK_EVENT_TASK | (is_wait ? INTERLOCK_EVENT_CREATE : 0));
  bool has_end = interlock_await_ends_by_cancellation(kind) || kind == SEQUENCE;
  if (!is_event && !(is_explored && has_end)) return;
  uintptr_t task = current_task();
  if (!task) return;
  if (!interlock_await_has_context(context)) {
    if (is_event) publish_task(INTERLOCK_TASK_LOST, task);
    return;
  }
  // The end is intercepted already: another interposed call has forwarded this one.
  if (context->resume == (uintptr_t)interlock_await_ended) return;
  uintptr_t resume = context->resume;
  pending_await *entry = interlock_await_put((uintptr_t)context, resume, kind);
  if (!entry) {
    if (is_event) publish_task(INTERLOCK_TASK_LOST, task);
    return;
  }
  context->resume = (uintptr_t)interlock_await_ended;
  if (kind == SEQUENCE && !interlock_await_find(key_of_blind(task))) {
    entry->is_blind = interlock_await_put(key_of_blind(task), 0, SEQUENCE) != NULL;
    if (entry->is_blind) {
      __atomic_fetch_add(&interlock_blind_count, 1, __ATOMIC_RELAXED);
    } else if (is_event) {
      publish_task(INTERLOCK_TASK_LOST, task);
    }
  }
  if (!is_event) return;
  if (is_wait) {
    entry->is_waiting = interlock_suspension_begins(task, resume, interlock_await_object_of(kind));
  }
  if (kind == PLAIN || kind == SLEEP) interlock_await_call(entry, task, context);
  // The task is the argument after the address of the result.
  if (kind == TASK) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK, arguments[1]);
  bool is_group = kind == GROUP || kind == GROUP_FAILURE || kind == GROUP_REST;
  if (is_group) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task + 1);
  if (kind == GROUP_SCOPE) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task);
}

// Bodies: of a group's scope, of a continuation, and of the scope of a cancellation handler. After
// the body, the runtime waits or removes the handler in an internal call, which passes through no
// stub.

/// Returns a function that begins at `interlock_group_body` and takes a context of that size; NULL
/// if there are too many sizes. The function's record is in the executable, because a 32-bit
/// distance must lead from it to the code.
static const async_function *stub_of(uint32_t context_size) {
  // Not locked: only the explorer's threads come here, one at a time.
  static async_function stubs[64];
  for (size_t index = 0; index < sizeof stubs / sizeof *stubs; index++) {
    async_function *stub = &stubs[index];
    if (!stub->distance) {
      stub->distance = (int32_t)(interlock_group_body - (const char *)stub);
      stub->context_size = context_size;
    }
    if (stub->context_size == context_size) return stub;
  }
  return NULL;
}

/// Replaces the body in the arguments of a call by a stub. The caller of the call resumes at
/// `place`.
static void intercept_body(uintptr_t *argument, await_kind kind, uintptr_t place) {
  uintptr_t body = *argument;
  bool is_async = kind != CONTINUATION_BODY;
  uintptr_t stub = is_async ? (uintptr_t)stub_of(((const async_function *)body)->context_size)
                            : (uintptr_t)interlock_continuation_body;
  pending_await *entry =
      stub ? interlock_await_put(key_of_body(current_task()), body, kind) : NULL;
  if (!entry) return;
  entry->task = place;
  *argument = stub;
}

/// Called when the task waits for a continuation that was inlined into its code. Returns the
/// address to jump to.
CALLED uintptr_t interlock_continuation_reached(void) {
  static uintptr_t known;
  uintptr_t real = find_real(&known, "swift_continuation_await");
  if (is_task_explored()) {
    interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_CONTINUATION, 0, (interlock_site){0});
  }
  return real;
}

/// Called when a call begins, with its first seven arguments and its `self`. Returns the address to
/// jump to.
CALLED uintptr_t interlock_call_begins(interlock_async_context *context, uint32_t call,
                                       uintptr_t *arguments, const uintptr_t *object) {
  static uintptr_t known[call_count];
  uintptr_t real = find_real(&known[call], calls[call].name);
  await_kind kind = calls[call].kind;
  bool is_explored = is_task_explored();
  if (is_explored && kind == YIELDS && interlock_await_has_context(context) &&
      interlock_yields(context->resume)) {
    if (is_wanted(INTERLOCK_EVENT_TASK)) publish_task(INTERLOCK_TASK_RESUMES, current_task());
    return context->resume;
  }
  if (is_explored && calls[call].body_kind != PLAIN) {
    intercept_body(&arguments[calls[call].body], calls[call].body_kind, context->resume);
  }
  uintptr_t resumes_at = context->resume;
  intercept(context, kind, arguments, is_explored);
  // The point comes last, when the table of awaits has the wait.
  if (is_explored) interlock_ask_awaited(kind, arguments, object, context, resumes_at);
  return real;
}

#else
bool interlock_await_begins(interlock_async_context *context) {
  (void)context;
  return true;
}
#endif
#endif
