// Where an `await` ends. A task that finds what it awaits ready goes on at once, on its thread, and
// no other call tells of it; yet it comes after who made that ready. So the runtime's asynchronous
// functions are met at their door: where the caller goes on is put away, and ours is put in its
// stead.
//
// These are functions of Swift's asynchronous calling convention, which are left by a jump. So the
// doors are of a few instructions that keep every register of the call. What the runtime calls
// within itself does not come by here.
//
// What a task waits for, another task or an actor, is kept with the call: the wait table lists it.
#include "interpose_awaits.h"
#include "layouts.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

/// Called by what the compiler does not see: the code at the end.
#define CALLED __attribute__((used)) HIDDEN

// What is awaited, by the call's context, by its task, or both. Each entry is one task's from its
// exchange on until it gives it back.

typedef enum {
  PLAIN,
  SEQUENCE,
  CONTINUATION,
  STREAM,
  UNSAFE_CONTINUATION,
  TASK,
  GROUP,
  GROUP_SCOPE
} await_kind;

typedef struct {
  uintptr_t key;
  /// Where the caller goes on.
  uintptr_t resume;
  /// The task that waits, and what it waits for; `awaited` is 0 where that is not known.
  uintptr_t task, awaited;
  interlock_object_kind awaited_kind;
  await_kind kind;
  /// Whether the call is the outermost of a sequence's, whether it is known as a wait, and whether
  /// its end is an event.
  bool is_blind, is_waiting, is_told;
} pending_await;

enum { most_pending = 1 << 16, probes = 32 };
static pending_await pending[most_pending];
/// Of sequences' calls: most processes never have one.
static uint32_t blind_count;
/// Whether a task has ever waited for a task or an actor.
static bool has_awaited;

/// Contexts, tasks and what an `async let` keeps are aligned to 16 bytes.
static uintptr_t key_of_switch(uintptr_t task) { return task | 1; }
static uintptr_t key_of_blind(uintptr_t task) { return task | 2; }
static uintptr_t key_of_let(uintptr_t let) { return let | 3; }

static pending_await *at_probe(uintptr_t key, size_t probe) {
  return &pending[((size_t)((key ^ key >> 3) * 0x9e3779b97f4a7c15ull >> 40) + probe) % most_pending];
}

static pending_await *find(uintptr_t key) {
  for (size_t probe = 0; probe < probes; probe++) {
    pending_await *entry = at_probe(key, probe);
    // Relaxed: only the task itself looks for its keys, and the runtime runs its parts one after
    // the other.
    if (__atomic_load_n(&entry->key, __ATOMIC_RELAXED) == key) return entry;
  }
  return NULL;
}

/// NULL where there is no room. One that a call left behind which never came to its end is taken
/// again.
static pending_await *put(uintptr_t key, uintptr_t resume, await_kind kind) {
  pending_await *entry = find(key);
  for (size_t probe = 0; !entry && probe < probes; probe++) {
    pending_await *tried = at_probe(key, probe);
    uintptr_t nobody = 0;
    // Relaxed where it fails: the next entry is looked at. Acquire: after the last task has left
    // the entry.
    if (__atomic_load_n(&tried->key, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&tried->key, &nobody, key, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      entry = tried;
    }
  }
  if (!entry) return NULL;
  entry->resume = resume;
  entry->kind = kind;
  entry->is_blind = entry->is_waiting = false;
  entry->is_told = true;
  return entry;
}

static void remove_entry(pending_await *entry) {
  // Relaxed: a snapshot is used only if no thread has gone on since.
  __atomic_store_n(&entry->awaited, 0, __ATOMIC_RELAXED);
  // Release: the next task that takes the entry comes after.
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
}

/// Notes what a task waits for until the entry is removed.
static void await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                         uintptr_t object) {
  // Relaxed: read once the process is quiet; it only ever becomes true.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) {
    __atomic_store_n(&has_awaited, true, __ATOMIC_RELAXED);
  }
  entry->task = task;
  entry->awaited_kind = kind;
  // Release: a snapshot that finds the object finds what is stored before.
  __atomic_store_n(&entry->awaited, object, __ATOMIC_RELEASE);
}

size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  // Relaxed: see `await_object`.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) return 0;
  size_t count = 0;
  for (size_t index = 0; index < most_pending; index++) {
    // Acquire: pairs with the release in `await_object`.
    uintptr_t awaited = __atomic_load_n(&pending[index].awaited, __ATOMIC_ACQUIRE);
    if (!awaited) continue;
    if (count < capacity) {
      // The next part of the caller begins at the line of the call: as a return address, one
      // further.
      views[count] = (interlock_await_view){pending[index].task, pending[index].awaited_kind, awaited,
                                            pending[index].resume + 1};
    }
    count++;
  }
  return count;
}

// Calls.

extern const char interlock_await_ended[] HIDDEN, interlock_switch_ended[] HIDDEN;

/// Whether something is so, as it was found at the first look: before a task calls, there is
/// nothing to look at.
typedef enum { UNKNOWN, SO, NOT_SO } first_look;

static bool note_first(first_look *look, bool is_so) {
  // Relaxed: threads that look at once find the same.
  __atomic_store_n(look, is_so ? SO : NOT_SO, __ATOMIC_RELAXED);
  return interlock_layout_note(INTERLOCK_LAYOUT_CONTEXT, is_so);
}

/// Whether a call's context, which comes in a register, begins with its caller's and with code that
/// goes on.
static bool has_known_context(const interlock_async_context *context) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  if (found != UNKNOWN) return found == SO;
  context = (const void *)((const char *)context + interlock_layout_shift(INTERLOCK_LAYOUT_CONTEXT));
  uintptr_t parent = (uintptr_t)context->parent;
  return note_first(&look, parent % sizeof(uintptr_t) == 0 && !interlock_is_code(parent) &&
                               interlock_is_code(context->resume));
}

/// Whether what a call of the runtime's own gets in a register is code that goes on.
static bool has_known_register(uintptr_t resume) {
  static first_look look;
  first_look found = __atomic_load_n(&look, __ATOMIC_RELAXED);
  return found != UNKNOWN ? found == SO : note_first(&look, interlock_is_code(resume));
}

bool interlock_await_begins(interlock_async_context *context) {
  if (!has_known_context(context)) return false;
  if (context->resume == (uintptr_t)interlock_await_ended) return true;
  if (!put((uintptr_t)context, context->resume, UNSAFE_CONTINUATION)) return false;
  context->resume = (uintptr_t)interlock_await_ended;
  return true;
}

bool interlock_events_task_is_blind(const void *task) {
  // Relaxed: the task's own calls are counted by the task.
  return __atomic_load_n(&blind_count, __ATOMIC_RELAXED) > 0 && find(key_of_blind((uintptr_t)task));
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

/// A call begins, with its first seven arguments. Gives the address to go on at.
CALLED uintptr_t interlock_call_begins(interlock_async_context *context, uint32_t call,
                                       const uintptr_t *arguments) {
  static uintptr_t known[call_count];
  uintptr_t real = find_real(&known[call], calls[call].name);
  await_kind kind = calls[call].kind;
  bool is_wait = kind == CONTINUATION || kind == STREAM;
  if (!is_wanted(INTERLOCK_EVENT_TASK | (is_wait ? INTERLOCK_EVENT_CREATE : 0))) return real;
  uintptr_t task = current_task();
  if (!task) return real;
  if (!has_known_context(context)) {
    tell_task(INTERLOCK_TASK_LOST, task);
    return real;
  }
  // One whose end is met already is handed on by another.
  if (context->resume == (uintptr_t)interlock_await_ended) return real;
  uintptr_t resume = context->resume;
  pending_await *entry = put((uintptr_t)context, resume, kind);
  if (!entry) {
    tell_task(INTERLOCK_TASK_LOST, task);
    return real;
  }
  if (is_wait) {
    entry->is_waiting = interlock_suspension_begins(task, resume, object_of(kind));
  }
  // After the address of the result comes the task.
  if (kind == TASK) await_object(entry, task, INTERLOCK_OBJECT_TASK, arguments[1]);
  if (kind == GROUP) await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task + 1);
  if (kind == GROUP_SCOPE) await_object(entry, task, INTERLOCK_OBJECT_TASK_GROUP, task);
  if (kind == SEQUENCE && !find(key_of_blind(task))) {
    entry->is_blind = put(key_of_blind(task), 0, SEQUENCE) != NULL;
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
  static const char text[] = "interlock: a task goes on that was not known to wait: a fault of Interlock\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) __builtin_trap();
  __builtin_trap();
}

/// A call has ended. Gives the address of the caller's next part.
CALLED uintptr_t interlock_call_ends(interlock_async_context *context) {
  pending_await *entry = find((uintptr_t)context);
  // Nobody comes here whose entry is not there: nothing else leads here.
  if (!entry) fail();
  pending_await was = *entry;
  remove_entry(entry);
  uintptr_t task = current_task();
  if (was.is_waiting) interlock_suspension_ends(task, object_of(was.kind));
  // The runtime resumes a checked one by itself, also where that was compiled into its caller and
  // made as any other.
  if (was.kind == UNSAFE_CONTINUATION && is_wanted(INTERLOCK_EVENT_RELEASE)) {
    interlock_event event = {.kind = INTERLOCK_EVENT_RELEASE,
                             .object_kind = INTERLOCK_OBJECT_CONTINUATION,
                             .object = (const void *)task};
    interlock_publish(&event);
  }
  if (was.is_blind) {
    remove_entry(find(key_of_blind(task)));
    __atomic_fetch_sub(&blind_count, 1, __ATOMIC_RELAXED);
  }
  if (is_wanted(INTERLOCK_EVENT_TASK)) tell_task(INTERLOCK_TASK_GOES_ON, task);
  return was.resume;
}

// The runtime's own entries are called with the address to go on at.

typedef enum { SWITCH, TASK_WAIT, GROUP_WAIT, LET_WAIT, LET_END } entry_kind;

/// Each with its number, and with that of the argument which is the address.
#define ENTRIES(ENTRY) \
  ENTRY(0, SWITCH, 0, swift_task_switch)                      \
  ENTRY(1, TASK_WAIT, 2, swift_task_future_wait)              \
  ENTRY(2, TASK_WAIT, 2, swift_task_future_wait_throwing)     \
  ENTRY(3, GROUP_WAIT, 2, swift_taskGroup_wait_next_throwing) \
  ENTRY(4, LET_WAIT, 2, swift_asyncLet_get)                   \
  ENTRY(5, LET_WAIT, 2, swift_asyncLet_get_throwing)          \
  ENTRY(6, LET_END, 2, swift_asyncLet_consume)                \
  ENTRY(7, LET_END, 2, swift_asyncLet_consume_throwing)       \
  ENTRY(8, LET_END, 2, swift_asyncLet_finish)                 \
  ENTRY(9, GROUP_WAIT, 3, swift_taskGroup_waitAll)

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
  put(key_of_let(let), task, PLAIN);
}

/// The task of an `async let`; 0 where it is not known.
static uintptr_t task_of_let(uintptr_t let, bool ends) {
  pending_await *entry = find(key_of_let(let));
  if (!entry) return 0;
  uintptr_t task = entry->resume;
  if (ends) remove_entry(entry);
  return task;
}

CALLED uintptr_t interlock_switch_begins(uintptr_t *arguments, uint32_t number) {
  static uintptr_t known[sizeof entries / sizeof *entries];
  uintptr_t real = find_real(&known[number], entries[number].name);
  entry_kind kind = entries[number].kind;
  if (!is_wanted(INTERLOCK_EVENT_TASK)) return real;
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
  // A switch from no actor to none orders nothing; what an actor runs comes after all that has
  // happened. Every function that is on no actor asks to leave it as it begins.
  bool is_told = kind != SWITCH || current_executor().identity != 0;
  if (!is_told && !object) return real;
  uintptr_t *resume = &arguments[entries[number].resume];
  // A task awaits one of these at a time.
  pending_await *entry = has_known_register(*resume) ? put(key_of_switch(task), *resume, PLAIN) : NULL;
  if (entry) {
    entry->is_told = is_told;
    if (object) await_object(entry, task, object_kind, object);
    *resume = (uintptr_t)interlock_switch_ended;
  } else if (is_told) {
    tell_task(INTERLOCK_TASK_LOST, task);
  }
  return real;
}

CALLED uintptr_t interlock_switch_ends(void) {
  uintptr_t task = current_task();
  pending_await *entry = find(key_of_switch(task));
  if (!entry) fail();
  pending_await was = *entry;
  remove_entry(entry);
  if (was.is_told && is_wanted(INTERLOCK_EVENT_TASK)) tell_task(INTERLOCK_TASK_GOES_ON, task);
  return was.resume;
}

#if defined(__x86_64__)

// Seven words are pushed, the arguments in their order: with the caller's, the stack is aligned for
// a call. The context is in r14, which C keeps, as it does r12 (an error) and r13.
#define KEEP                                                                              \
  "pushq %rax\n pushq %r9\n pushq %r8\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n"
#define PUT_BACK_AND_GO                                                                   \
  "movq %rax, %r11\n"                                                                     \
  "popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %r8\n popq %r9\n popq %rax\n"      \
  "jmpq *%r11\n"
#define CALL_BEGINS(number)                                                               \
  "movq %r14, %rdi\n movl $" number ", %esi\n movq %rsp, %rdx\n callq interlock_call_begins\n"
#define CALL_ENDS "movq %r14, %rdi\n callq interlock_call_ends\n"
#define SWITCH_BEGINS(number)                                                             \
  "movq %rsp, %rdi\n movl $" number ", %esi\n callq interlock_switch_begins\n"
#define SWITCH_ENDS "callq interlock_switch_ends\n"

#else

// The context is in x22, which C keeps, as it does x20 and x21 (an error).
#define KEEP                                                                              \
  "stp x29, x30, [sp, #-96]!\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"            \
  "stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n"
#define PUT_BACK_AND_GO                                                                   \
  "mov x16, x0\n"                                                                         \
  "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"                \
  "ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n ldp x29, x30, [sp], #96\n"                  \
  "br x16\n"
#define CALL_BEGINS(number)                                                               \
  "mov x0, x22\n mov w1, #" number "\n add x2, sp, #16\n bl interlock_call_begins\n"
#define CALL_ENDS "mov x0, x22\n bl interlock_call_ends\n"
#define SWITCH_BEGINS(number)                                                             \
  "add x0, sp, #16\n mov w1, #" number "\n bl interlock_switch_begins\n"
#define SWITCH_ENDS "bl interlock_switch_ends\n"

#endif

#define DOOR(name, begin)                                                                 \
  __asm__(".pushsection .text\n"                                                          \
          ".weak \"" name "\"\n .type \"" name "\", %function\n .p2align 4\n"              \
          "\"" name "\":\n" KEEP begin PUT_BACK_AND_GO                                     \
          ".size \"" name "\", . - \"" name "\"\n .popsection\n");

// The numbers of the table above: it is gone through once more.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
enum { first_counter = __COUNTER__ + 1 };
_Static_assert(first_counter == 1, "the doors count from here");
#define AWAITED(kind, name) DOOR(name, CALL_BEGINS("(" TEXT(__COUNTER__) " - 1)"))
#include "awaited_calls.h"
#undef AWAITED

#define ENTRY_DOOR(number, kind, resume, name) DOOR(#name, SWITCH_BEGINS(#number))
ENTRIES(ENTRY_DOOR)

#define ENDING(name, end)                                                                 \
  __asm__(".pushsection .text\n"                                                          \
          ".hidden " name "\n .globl " name "\n .type " name ", %function\n .p2align 4\n"  \
          name ":\n" KEEP end PUT_BACK_AND_GO ".size " name ", . - " name "\n .popsection\n")

ENDING("interlock_await_ended", CALL_ENDS);
ENDING("interlock_switch_ended", SWITCH_ENDS);

#else
bool interlock_await_begins(interlock_async_context *context) {
  (void)context;
  return true;
}
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
uintptr_t interlock_running_task(uintptr_t *actor) { return *actor = 0; }
void interlock_let_begins(uintptr_t let, uintptr_t task) { (void)let, (void)task; }
#endif
#else
bool interlock_events_task_is_blind(const void *task) {
  (void)task;
  return false;
}
size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
#endif
