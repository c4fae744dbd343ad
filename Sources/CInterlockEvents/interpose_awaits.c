// Publishes where an `await` ends. A task that finds its awaited value ready continues at once, on
// its thread, and makes no other call that shows it; yet it comes after the code that made the
// value ready. So stubs intercept the runtime's asynchronous functions: they save the address at
// which the caller resumes, and put ours in its place.
//
// Functions of Swift's asynchronous calling convention end with a jump, so the stubs are a few
// instructions that preserve every register of the call. Calls inside the runtime do not pass
// through them.
//
// What a task waits for, another task or an actor, is stored with the call; the wait table lists
// it.
#include "await_table.h"
#include "awaited_entries.h"
#include "controlled_tasks.h"
#include "layouts.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

/// Called by the assembly of await_doors.c, which the compiler does not see.
#define CALLED __attribute__((used)) HIDDEN

// Calls.

/// The number of tasks in a call of a sequence: most processes never have one.
static uint32_t blind_count;
extern const char interlock_await_ended[] HIDDEN, interlock_switch_ended[] HIDDEN;

/// The result of the first check: before a task makes a call, there is nothing to check.
typedef enum { UNKNOWN, SO, NOT_SO } first_look;

static bool note_first(first_look *look, bool is_so) {
  // Relaxed: threads that check at once find the same.
  __atomic_store_n(look, is_so ? SO : NOT_SO, __ATOMIC_RELAXED);
  return interlock_layout_note(INTERLOCK_LAYOUT_CONTEXT, is_so);
}

/// Whether a call's context, which comes in a register, begins with its caller's context and a
/// resume address.
static bool has_known_context(const interlock_async_context *context) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  if (found != UNKNOWN) return found == SO;
  ptrdiff_t shift = interlock_layout_shift(INTERLOCK_LAYOUT_CONTEXT);
  context = (const void *)((const char *)context + shift);
  uintptr_t parent = (uintptr_t)context->parent;
  return note_first(&look, parent % sizeof(uintptr_t) == 0 && !interlock_is_code(parent) &&
                               interlock_is_code(context->resume));
}

/// Whether the register in which an entry point takes its resume address contains code.
static bool has_known_register(uintptr_t resume) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  return found != UNKNOWN ? found == SO : note_first(&look, interlock_is_code(resume));
}

bool interlock_await_begins(interlock_async_context *context) {
  if (!has_known_context(context)) return false;
  if (context->resume == (uintptr_t)interlock_await_ended) return true;
  if (!interlock_await_put((uintptr_t)context, context->resume, UNSAFE_CONTINUATION)) return false;
  context->resume = (uintptr_t)interlock_await_ended;
  return true;
}

bool interlock_events_task_is_blind(const void *task) {
  // Relaxed: a task counts its own calls.
  return __atomic_load_n(&blind_count, __ATOMIC_RELAXED) > 0 &&
         interlock_await_find(key_of_blind((uintptr_t)task));
}

static const struct {
  const char *name;
  await_kind kind;
} calls[] = {
#define AWAITED(kind, name) {name, kind},
#include "awaited_calls.h"
#undef AWAITED
};
enum { call_count = sizeof calls / sizeof *calls };

static interlock_object_kind object_of(await_kind kind) {
  return kind == STREAM ? INTERLOCK_OBJECT_STREAM : INTERLOCK_OBJECT_CONTINUATION;
}

static uintptr_t find_real(uintptr_t *known, const char *name) {
  // Relaxed: as in REAL.
  uintptr_t real = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!real) {
    real = (uintptr_t)interlock_find_real(name);
    __atomic_store_n(known, real, __ATOMIC_RELAXED);
  }
  return real;
}

static uintptr_t current_task(void) {
  typedef __attribute__((swiftcall)) void *current(void);
  return (uintptr_t)REAL(current, swift_task_getCurrent)();
}

/// A call begins, with its first seven arguments. Returns the address to jump to.
CALLED uintptr_t interlock_call_begins(interlock_async_context *context, uint32_t call,
                                       const uintptr_t *arguments) {
  static uintptr_t known[call_count];
  uintptr_t real = find_real(&known[call], calls[call].name);
  await_kind kind = calls[call].kind;
  if (is_task_explored()) {
    if (kind == YIELDS && has_known_context(context) && interlock_yields(context->resume)) {
      if (is_wanted(INTERLOCK_EVENT_TASK)) tell_task(INTERLOCK_TASK_GOES_ON, current_task());
      return context->resume;
    }
    interlock_ask_awaited(kind, arguments, context->resume);
  }
  bool is_wait = kind == CONTINUATION || kind == STREAM;
  if (!is_wanted(INTERLOCK_EVENT_TASK | (is_wait ? INTERLOCK_EVENT_CREATE : 0))) return real;
  uintptr_t task = current_task();
  if (!task) return real;
  if (!has_known_context(context)) {
    tell_task(INTERLOCK_TASK_LOST, task);
    return real;
  }
  // If its end is intercepted already, another interposed call has forwarded the call.
  if (context->resume == (uintptr_t)interlock_await_ended) return real;
  uintptr_t resume = context->resume;
  pending_await *entry = interlock_await_put((uintptr_t)context, resume, kind);
  if (!entry) {
    tell_task(INTERLOCK_TASK_LOST, task);
    return real;
  }
  if (is_wait) {
    entry->is_waiting = interlock_suspension_begins(task, resume, object_of(kind));
  }
  // The task follows the address of the result.
  if (kind == TASK) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK, arguments[1]);
  if (kind == GROUP) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task + 1);
  if (kind == GROUP_SCOPE) interlock_await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task);
  if (kind == SEQUENCE && !interlock_await_find(key_of_blind(task))) {
    entry->is_blind = interlock_await_put(key_of_blind(task), 0, SEQUENCE) != NULL;
    if (entry->is_blind) {
      __atomic_fetch_add(&blind_count, 1, __ATOMIC_RELAXED);
    } else {
      tell_task(INTERLOCK_TASK_LOST, task);
    }
  }
  context->resume = (uintptr_t)interlock_await_ended;
  return real;
}

static void fail(void) {
  static const char text[] =
      "interlock: a task resumes without a recorded wait: a fault of Interlock\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) __builtin_trap();
  __builtin_trap();
}

/// A call has ended. Returns the address at which the caller resumes.
CALLED uintptr_t interlock_call_ends(interlock_async_context *context) {
  pending_await *entry = interlock_await_find((uintptr_t)context);
  // Only a stored entry leads here.
  if (!entry) fail();
  pending_await was = *entry;
  interlock_await_remove(entry);
  if (was.kind == TASK_END) {
    if (is_task_explored())
      interlock_ask_task(INTERLOCK_TASK_CALL_COMPLETE, was.task, (interlock_site){0});
    return was.resume;
  }
  uintptr_t task = current_task();
  if (was.is_waiting) interlock_suspension_ends(task, object_of(was.kind));
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
    __atomic_fetch_sub(&blind_count, 1, __ATOMIC_RELAXED);
  }
  if (is_wanted(INTERLOCK_EVENT_TASK)) tell_task(INTERLOCK_TASK_GOES_ON, task);
  return was.resume;
}

// The runtime's own entry points take the resume address as an argument.

typedef enum { SWITCH, TASK_WAIT, GROUP_WAIT, LET_WAIT, LET_END } entry_kind;

static const struct {
  const char *name;
  entry_kind kind;
  uint32_t resume;
} entries[] = {
#define DESCRIBED(number, kind, resume, name) [number] = {#name, kind, resume},
    ENTRIES(DESCRIBED)
#undef DESCRIBED
};

static executor current_executor(void) {
  typedef __attribute__((swiftcall)) executor current(void);
  return REAL(current, swift_task_getCurrentExecutor)();
}

static uintptr_t actor_of(executor executor) {
  return executor.implementation == 0 ? executor.identity : 0;
}

uintptr_t interlock_running_task(uintptr_t *actor) {
  uintptr_t task = current_task();
  *actor = task ? actor_of(current_executor()) : 0;
  return task;
}

void interlock_let_begins(uintptr_t let, uintptr_t task) {
  interlock_await_put(key_of_let(let), task, PLAIN);
}

/// The task of an `async let`; 0 if not known.
static uintptr_t task_of_let(uintptr_t let, bool ends) {
  pending_await *entry = interlock_await_find(key_of_let(let));
  if (!entry) return 0;
  uintptr_t task = entry->resume;
  if (ends) interlock_await_remove(entry);
  return task;
}

static void ask_entry(entry_kind kind, uintptr_t object, uintptr_t resume) {
  interlock_site site = {resume, resume};
  switch (kind) {
    case SWITCH:
      // From no actor to none is no step.
      if (object || current_executor().identity)
        interlock_ask_task(INTERLOCK_TASK_CALL_SWITCH, object, site);
      break;
    case TASK_WAIT:
    case LET_WAIT:
    case LET_END: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT, object, site); break;
    case GROUP_WAIT: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_GROUP, 0, site); break;
  }
}

CALLED uintptr_t interlock_switch_begins(uintptr_t *arguments, uint32_t number) {
  static uintptr_t known[sizeof entries / sizeof *entries];
  uintptr_t real = find_real(&known[number], entries[number].name);
  entry_kind kind = entries[number].kind;
  bool is_explored = is_task_explored();
  if (!is_explored && !is_wanted(INTERLOCK_EVENT_TASK)) return real;
  uintptr_t task = current_task();
  if (!task) return real;
  uintptr_t object = 0;
  interlock_object_kind object_kind = INTERLOCK_OBJECT_TASK;
  switch (kind) {
    case SWITCH:
      object = actor_of((executor){arguments[1], arguments[2]});
      object_kind = INTERLOCK_OBJECT_ACTOR;
      break;
    case TASK_WAIT: object = arguments[1]; break;
    case LET_WAIT: object = task_of_let(arguments[0], false); break;
    case LET_END: object = task_of_let(arguments[0], true); break;
    case GROUP_WAIT:
      object = task + 1;
      object_kind = INTERLOCK_OBJECT_TASK_GROUP;
      break;
  }
  if (is_explored) {
    ask_entry(kind, object, arguments[entries[number].resume]);
    if (!is_wanted(INTERLOCK_EVENT_TASK)) return real;
  }
  // A switch from no actor to none orders nothing, and every function on no actor asks for one as
  // it begins. A switch to an actor needs no event: readers order what runs on an actor after
  // everything so far.
  bool is_published = kind != SWITCH || current_executor().identity != 0;
  if (!is_published && !object) return real;
  uintptr_t *resume = &arguments[entries[number].resume];
  // A task is in one of these waits at a time.
  pending_await *entry =
      has_known_register(*resume) ? interlock_await_put(key_of_switch(task), *resume, PLAIN) : NULL;
  if (entry) {
    entry->is_published = is_published;
    if (object) interlock_await_object(entry, task, object_kind, object);
    *resume = (uintptr_t)interlock_switch_ended;
  } else if (is_published) {
    tell_task(INTERLOCK_TASK_LOST, task);
  }
  return real;
}

CALLED uintptr_t interlock_switch_ends(void) {
  uintptr_t task = current_task();
  pending_await *entry = interlock_await_find(key_of_switch(task));
  if (!entry) fail();
  pending_await was = *entry;
  interlock_await_remove(entry);
  if (was.is_published && is_wanted(INTERLOCK_EVENT_TASK)) tell_task(INTERLOCK_TASK_GOES_ON, task);
  return was.resume;
}

#else
bool interlock_await_begins(interlock_async_context *context) {
  (void)context;
  return true;
}
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
uintptr_t interlock_running_task(uintptr_t *actor) { return *actor = 0; }
void interlock_let_begins(uintptr_t let, uintptr_t task) { (void)let, (void)task; }
#endif
#else
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
#endif
