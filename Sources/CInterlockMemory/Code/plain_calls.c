// The calls of plain code. The orders that such code makes are not seen. So it is not decided
// whether two accesses that nothing else orders race, if the first thread has called plain code
// after its access, and then the second one before its own.
//
// When the check starts, each direct call of plain code is redirected to a function that notes it,
// by a change of the call's displacement. Each call gives the thread's clock to one clock for all
// plain code. When the thread has returned, which its next access shows, it keeps the value of that
// clock as the clock that it may come after. The thread's own clock does not change.
#include "plain_code.h"

#include "interlock_explored_memory.h"
#include "interlock_performer.h"
#include "interlock_registers.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/// The joined clocks of all threads at their calls of plain code.
static common_clock given;

/// The clock after which a thread or task may come. While it is in plain code, and until its next
/// access, that is all of `given`. `first` and `last` are the slot's counts at its first and its
/// last call.
typedef struct {
  vector_clock clock;
  uint64_t first, last;
  bool is_in_plain_code;
} taken_clock;
/// By slot. Guarded by the lock of `given`.
static taken_clock *taken;

static int by_return(const void *key, const void *call) {
  uintptr_t a = *(const uintptr_t *)key, b = ((const plain_call *)call)->returns_to;
  return (a > b) - (a < b);
}

static void note_begin(memory_thread *own) {
  if (is_interrupted(own)) return;
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  (void)epoch_of(own);
  // Nothing to do if the thread has made no access, and learnt nothing, since its last call.
  if (interlock_memory_settle(own) &&
      !(own->is_in_plain_code && own->plain_lessons == own->clock->lessons)) {
    own->is_in_plain_code = true;
    own->plain_lessons = own->clock->lessons;
    begin_change();
    interlock_clock_pass_to(own->clock, &given);
    end_change();
    taken_clock *into = &taken[own->clock->slot];
    take(&given.lock);
    into->last = *own->count;
    if (into->first == 0) into->first = into->last;
    into->is_in_plain_code = true;
    give(&given.lock);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

/// Called in place of plain code, with the return address of the call. Returns the plain function.
uintptr_t interlock_plain_call_begins(uintptr_t returns_to) HIDDEN;
__attribute__((used)) uintptr_t interlock_plain_call_begins(uintptr_t returns_to) {
  plain_call *call = bsearch(&returns_to, interlock_plain_calls.list, interlock_plain_calls.count,
                             sizeof *call, by_return);
  memory_thread *own = interlock_memory_own;
  if (own) {
    // Relaxed, both: the flag is only ever set.
    if (!__atomic_load_n(&call->is_made, __ATOMIC_RELAXED)) {
      __atomic_store_n(&call->is_made, true, __ATOMIC_RELAXED);
    }
    note_begin(own);
  }
  if (interlock_is_controlled() && interlock_explored_memory_written) {
    interlock_explored_memory_written(0, 0);
  }
  return call->target;
}

void interlock_plain_call_ended(memory_thread *own) {
  own->is_in_plain_code = false;
  taken_clock *into = &taken[own->clock->slot];
  take(&given.lock);
  clock_join(&into->clock, &given.clock);
  into->is_in_plain_code = false;
  give(&given.lock);
}

void interlock_plain_code_judge(memory_thread *own, shadow_cell before,
                                interlock_memory_race *race) {
  if (!taken) return;
  uint32_t slot = cell_slot(before);
  uint64_t count = cell_count(before);
  // A signal handler may call plain code, which would take the same lock.
  bool was_busy = own->is_busy;
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  take(&given.lock);
  race->is_given = given.clock.counts[slot] >= count;
  for (uint32_t index = 0, end = clock_width(); index < end; index++) {
    const taken_clock *from = &taken[index];
    if (from->first == 0) continue;
    if (!interlock_clock_has_seen(own->clock, index, from->first) &&
        !interlock_clock_has_seen(own->clock, index, from->last)) {
      continue;
    }
    const vector_clock *clock = from->is_in_plain_code ? &given.clock : &from->clock;
    race->is_taken = true;
    race->may_be_ordered |= clock->counts[slot] >= count;
  }
  give(&given.lock);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = was_busy;
}

void interlock_plain_calls_forked(void) { given.lock = 0; }

// Keeps all registers that may hold arguments.
__attribute__((naked)) static void begin_plain_call(void) {
  __asm__(
      "push %rbp\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset %rbp, -16\n"
      "mov %rsp, %rbp\n"
      ".cfi_def_cfa_register %rbp\n"
      "push %rax\n"
      "push %rcx\n"
      "push %rdx\n"
      "push %rsi\n"
      "push %rdi\n"
      "push %r8\n"
      "push %r9\n"
      "push %r10\n"
      "mov 8(%rbp), %rdi\n"
      INTERLOCK_KEEP_VECTORS
      "call interlock_plain_call_begins\n"
      "mov %rax, %r11\n"
      INTERLOCK_RESTORE_VECTORS
      "lea -64(%rbp), %rsp\n"
      "pop %r10\n"
      "pop %r9\n"
      "pop %r8\n"
      "pop %rdi\n"
      "pop %rsi\n"
      "pop %rdx\n"
      "pop %rcx\n"
      "pop %rax\n"
      "pop %rbp\n"
      ".cfi_def_cfa %rsp, 8\n"
      "jmp *%r11\n");
}

/// Changes the displacement of a call. Its code does not run yet, because the check starts before
/// the program does.
static bool lead(const plain_call *call) {
  intptr_t distance = (intptr_t)((uintptr_t)begin_plain_call - call->returns_to);
  int32_t displacement = (int32_t)distance;
  if (displacement != distance) return false;
  uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t at = call->returns_to - sizeof displacement, page = at & ~(page_size - 1);
  size_t size = call->returns_to - page;
  if (mprotect((void *)page, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy((void *)at, &displacement, sizeof displacement);
  return mprotect((void *)page, size, PROT_READ | PROT_EXEC) == 0;
}

void interlock_plain_calls_prepare(void) {
  if (!interlock_can_keep_vectors()) return;
  interlock_plain_code_find();
  if (interlock_plain_calls.count == 0) return;
  void *memory = mmap(NULL, most_slots * sizeof *taken, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  taken = memory;
  for (size_t index = 0; index < interlock_plain_calls.count; index++) {
    if (!lead(&interlock_plain_calls.list[index])) return;
  }
}

#elif defined(INTERLOCK_INTERPOSES)

void interlock_plain_calls_prepare(void) {}
void interlock_plain_call_ended(memory_thread *own) { (void)own; }
void interlock_plain_calls_forked(void) {}
void interlock_plain_code_judge(memory_thread *own, shadow_cell before,
                                interlock_memory_race *race) {
  (void)own, (void)before, (void)race;
}

#endif
