// `withCheckedContinuation`, the streams' `next()`, and their like. Where they are not inlined they run in the runtime,
// and what they call there is not seen: so they are met at their door. A task that comes in waits from then on; it has
// come to its end when the caller's next part runs, which the runtime finds in the context of the call, where ours is put in its stead.
//
// These are asynchronous functions of Swift: the context comes in a register that C has no name for, and they are left
// by a jump. So the two doors are of a few instructions that keep every register of the call.
#include "interpose.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#include <unistd.h>
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

/// Called by what the compiler does not see: the code at the end.
#define CALLED __attribute__((used)) HIDDEN

// Tasks that wait, by address. Each entry is one task's from its exchange on until it gives it back: a task has one wait
// at a time.

typedef struct {
  uintptr_t task;
  uintptr_t resume;
  interlock_object_kind kind;
  /// In which block of which thread it came in.
  uint32_t thread, block;
} waiting_task;

enum { most_waiting = 1 << 13, probes = 16 };
static waiting_task waiting[most_waiting];
/// As many entries as are taken: most processes never have one.
static uint32_t waiting_count;

static size_t first_probe(uintptr_t task) {
  return (size_t)((task >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

static waiting_task *find(uintptr_t task) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    // Acquire: whoever finds the task finds what it stored before.
    if (__atomic_load_n(&entry->task, __ATOMIC_ACQUIRE) == task) return entry;
  }
  return NULL;
}

static bool remember(uintptr_t task, uintptr_t resume, interlock_object_kind kind) {
  for (size_t probe = 0; probe < probes; probe++) {
    waiting_task *entry = &waiting[(first_probe(task) + probe) % most_waiting];
    uintptr_t nobody = 0;
    // Relaxed where it fails: the next entry is looked at. Acquire: after the last task has left the entry.
    if (__atomic_load_n(&entry->task, __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&entry->task, &nobody, task, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    // Read by the task itself alone, whose parts the runtime runs one after the other.
    entry->resume = resume;
    entry->kind = kind;
    entry->thread = interlock_thread_id();
    entry->block = interlock_blocks_begun;
    // Relaxed: whoever could look for the task has been handed it since.
    __atomic_fetch_add(&waiting_count, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

static void publish(interlock_event_kind kind, interlock_object_kind object_kind, uintptr_t task,
                    uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = object_kind,
                           .object = (const void *)task,
                           .place = place};
  interlock_publish(&event);
}

void interlock_job_enqueued(const void *job) {
  if (__atomic_load_n(&waiting_count, __ATOMIC_RELAXED) == 0) return;
  const waiting_task *entry = find((uintptr_t)job);
  if (!entry) return;
  // One that hands itself on before it has given its thread up has changed its executor, and waits still.
  if (entry->thread == interlock_thread_id() && entry->block == interlock_blocks_begun) return;
  publish(INTERLOCK_EVENT_RELEASE, entry->kind, (uintptr_t)job, 0);
}

typedef __attribute__((swiftcall)) void *current_task(void);

extern const char interlock_suspension_resumed[] HIDDEN;

// (isolation:function:_:), and those without isolation that older compilers call.
#define PLAIN "$ss23withCheckedContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5NeverOGXEtYalF"
#define THROWING \
  "$ss31withCheckedThrowingContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5Error_pGXEtYaKlF"
#define OLD_PLAIN "$ss23withCheckedContinuation8function_xSS_yScCyxs5NeverOGXEtYalF"
#define OLD_THROWING "$ss31withCheckedThrowingContinuation8function_xSS_yScCyxs5Error_pGXEtYaKlF"

// next() of an AsyncStream's iterator and of an AsyncThrowingStream's, in the same two forms.
#define STREAM "$sScS8IteratorV4next9isolationxSgScA_pSgYi_tYaF"
#define THROWING_STREAM "$sScs8IteratorV4next9isolationxSgScA_pSgYi_tYaq_YKF"
#define OLD_STREAM "$sScS8IteratorV4nextxSgyYaF"
#define OLD_THROWING_STREAM "$sScs8IteratorV4nextxSgyYaKF"

static const char *const names[] = {PLAIN,     THROWING,   OLD_PLAIN,
                                    OLD_THROWING, STREAM, THROWING_STREAM,
                                    OLD_STREAM,   OLD_THROWING_STREAM};
enum { doors = sizeof names / sizeof *names, first_stream = 4 };

static uintptr_t find_real(uint32_t door) {
  static uintptr_t known[doors];
  // Relaxed: as in REAL.
  uintptr_t real = __atomic_load_n(&known[door], __ATOMIC_RELAXED);
  if (!real) {
    real = (uintptr_t)interlock_find_real(names[door]);
    __atomic_store_n(&known[door], real, __ATOMIC_RELAXED);
  }
  return real;
}

/// A call begins. Gives the address to go on at.
CALLED uintptr_t interlock_suspension_begins(interlock_async_context *context, uint32_t door) {
  uintptr_t real = find_real(door);
  if (!is_wanted(INTERLOCK_EVENT_CREATE)) return real;
  uintptr_t task = (uintptr_t)REAL(current_task, swift_task_getCurrent)();
  uintptr_t resume = context->resume;
  interlock_object_kind kind =
      door < first_stream ? INTERLOCK_OBJECT_CONTINUATION : INTERLOCK_OBJECT_STREAM;
  if (!task) return real;
  bool is_within = find(task) != NULL;
  if (!is_within && !remember(task, resume, kind)) return real;
  // The next part of the caller begins at the line of the call: as a return address, one further.
  publish(INTERLOCK_EVENT_CREATE, kind, task, resume + 1);
  // Within another call that is met, as in the closure of AsyncStream(unfolding:), that is where its end is met.
  if (!is_within) context->resume = (uintptr_t)interlock_suspension_resumed;
  return real;
}

/// The call has ended. Gives the address of the caller's next part.
CALLED uintptr_t interlock_suspension_ends(void) {
  uintptr_t task = (uintptr_t)REAL(current_task, swift_task_getCurrent)();
  waiting_task *entry = find(task);
  if (!entry) {
    // Nobody comes here whose entry is not there: no other door leads here.
    static const char text[] = "interlock: a task goes on that was not known to wait: a fault of Interlock\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) __builtin_trap();
    __builtin_trap();
  }
  uintptr_t resume = entry->resume;
  interlock_object_kind kind = entry->kind;
  // Relaxed: see above.
  __atomic_fetch_sub(&waiting_count, 1, __ATOMIC_RELAXED);
  // Release: the next task that takes the entry comes after.
  __atomic_store_n(&entry->task, 0, __ATOMIC_RELEASE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, kind, task, 0);
  return resume;
}

#if defined(__x86_64__)

// Seven words are pushed: with the caller's, the stack is aligned for a call. The context is in r14, which C keeps, as
// it does r12 (an error) and r13.
#define KEEP                                                                              \
  "pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n pushq %rax\n"
#define PUT_BACK_AND_GO                                                                   \
  "movq %rax, %r11\n"                                                                     \
  "popq %rax\n popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n"      \
  "jmpq *%r11\n"
#define BEGIN(door) "movq %r14, %rdi\n movl $" #door ", %esi\n callq interlock_suspension_begins\n"
#define END "callq interlock_suspension_ends\n"

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
#define BEGIN(door) "mov x0, x22\n mov w1, #" #door "\n bl interlock_suspension_begins\n"
#define END "bl interlock_suspension_ends\n"

#endif

#define DOOR(door, name)                                                                  \
  __asm__(".pushsection .text\n"                                                          \
          ".weak \"" name "\"\n .type \"" name "\", %function\n .p2align 4\n"              \
          "\"" name "\":\n" KEEP BEGIN(door) PUT_BACK_AND_GO                               \
          ".size \"" name "\", . - \"" name "\"\n .popsection\n")

DOOR(0, PLAIN);
DOOR(1, THROWING);
DOOR(2, OLD_PLAIN);
DOOR(3, OLD_THROWING);
DOOR(4, STREAM);
DOOR(5, THROWING_STREAM);
DOOR(6, OLD_STREAM);
DOOR(7, OLD_THROWING_STREAM);

__asm__(".pushsection .text\n"
        ".hidden interlock_suspension_resumed\n .globl interlock_suspension_resumed\n"
        ".type interlock_suspension_resumed, %function\n .p2align 4\n"
        "interlock_suspension_resumed:\n" KEEP END PUT_BACK_AND_GO
        ".size interlock_suspension_resumed, . - interlock_suspension_resumed\n .popsection\n");

#else
void interlock_job_enqueued(const void *job) { (void)job; }
#endif
#endif
