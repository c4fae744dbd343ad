// Publishes where an `await` ends at the runtime's own entry points, which take the resume address
// as an argument: a switch of actors, and waits for a task, a task group and an `async let`.
#include "await_calls.h"
#include "await_table.h"
#include "awaited_entries.h"
#include "../Concurrency/controlled_tasks.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

/// The identity of the main actor's executor.
extern char _dispatch_main_q[] __attribute__((weak));
/// The stub at which a task resumes after one of these calls.
extern const char interlock_switch_ended[] HIDDEN;

typedef enum { SWITCH, TASK_WAIT, GROUP_WAIT, GROUP_END, LET_WAIT, LET_END, LET_LEFT } entry_kind;

static const struct {
  const char *name;
  entry_kind kind;
  uint32_t resume;
} entries[] = {
#define DESCRIBED(number, kind, resume, name) [number] = {#name, kind, resume},
    ENTRIES(DESCRIBED)
#undef DESCRIBED
};

void interlock_let_begins(uintptr_t let, uintptr_t task) {
  interlock_await_put(key_of_let(let), task, PLAIN);
}

/// Returns the task of an `async let`; 0 if it is not known.
static uintptr_t task_of_let(uintptr_t let, bool ends) {
  pending_await *entry = interlock_await_find(key_of_let(let));
  if (!entry) return 0;
  uintptr_t task = entry->resume;
  if (ends) interlock_await_remove(entry);
  return task;
}

static void ask_entry(entry_kind kind, uintptr_t object, const uintptr_t *arguments,
                      uintptr_t resume) {
  // The resume function begins behind the await. Add one byte, so that its address counts as a
  // return address.
  interlock_site site = {resume, resume + 1};
  switch (kind) {
    case SWITCH: {
      executor to = {arguments[1], arguments[2]};
      // A switch to the task's current executor is no step.
      if (to.identity == interlock_current_executor().identity) return;
      bool has_own_executor = to.identity && !object;
      interlock_ask_task(to.identity == (uintptr_t)_dispatch_main_q
                             ? INTERLOCK_TASK_CALL_SWITCH_MAIN
                         : has_own_executor ? INTERLOCK_TASK_CALL_SWITCH_EXECUTOR
                                            : INTERLOCK_TASK_CALL_SWITCH,
                         object, site);
      break;
    }
    case TASK_WAIT:
    case LET_WAIT:
    case LET_END: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT, object, site); break;
    case LET_LEFT: interlock_ask_task(INTERLOCK_TASK_CALL_LEAVE_LET, object, site); break;
    case GROUP_WAIT: interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_NEXT, arguments[1], site); break;
    case GROUP_END:
      interlock_ask_task(INTERLOCK_TASK_CALL_AWAIT_FAILURE, arguments[1], site);
      break;
  }
}

/// True if the register in which an entry point takes its resume address contains an address of
/// code.
static bool has_known_register(uintptr_t resume) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  return found != UNKNOWN ? found == SO : note_first(&look, interlock_is_code(resume));
}

/// Records the object for which the task waits, and replaces the address at which the task resumes
/// by that of the stub.
static void publish_entry(entry_kind kind, uintptr_t task, uintptr_t object,
                          interlock_object_kind object_kind, uintptr_t *resume) {
  // Not published: a switch from no actor. Every function on no actor asks for one as it begins; a
  // switch from no actor to none orders nothing, and readers order code on an actor after
  // everything so far anyway.
  bool is_published = kind != SWITCH || interlock_current_executor().identity != 0;
  if (!is_published && !object) return;
  // A task is in one of these waits at a time.
  pending_await *entry =
      has_known_register(*resume) ? interlock_await_put(key_of_switch(task), *resume, PLAIN) : NULL;
  if (entry) {
    entry->is_published = is_published;
    if (object) interlock_await_object(entry, task, object_kind, object);
    *resume = (uintptr_t)interlock_switch_ended;
  } else if (is_published) {
    publish_task(INTERLOCK_TASK_LOST, task);
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
    case LET_END:
    case LET_LEFT: object = task_of_let(arguments[0], true); break;
    case GROUP_WAIT:
    case GROUP_END:
      object = task + 1;
      object_kind = INTERLOCK_OBJECT_TASK_GROUP;
      break;
  }
  uintptr_t *resume = &arguments[entries[number].resume], resumes_at = *resume;
  if (is_wanted(INTERLOCK_EVENT_TASK)) publish_entry(kind, task, object, object_kind, resume);
  // The point comes last, when the table of awaits has the wait.
  if (is_explored) ask_entry(kind, object, arguments, resumes_at);
  return real;
}

CALLED uintptr_t interlock_switch_ends(void) {
  uintptr_t task = current_task();
  pending_await *entry = interlock_await_find(key_of_switch(task));
  if (!entry) interlock_await_fail();
  pending_await was = *entry;
  interlock_await_remove(entry);
  if (was.is_published && is_wanted(INTERLOCK_EVENT_TASK)) {
    publish_task(INTERLOCK_TASK_RESUMES, task);
  }
  return was.resume;
}

#if defined(__x86_64__)
#define SWITCH_ENDS "callq interlock_switch_ends\n"
#else
#define SWITCH_ENDS "bl interlock_switch_ends\n"
#endif

ENDING("interlock_switch_ended", SWITCH_ENDS);

#else
void interlock_let_begins(uintptr_t let, uintptr_t task) { (void)let, (void)task; }
#endif
#endif
